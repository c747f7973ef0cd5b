// Why `src/http/rest.ts` exists: what trpc-to-openapi's own adapter answers. docs/explanation/architecture.md has all
// reasons.
import { initTRPC } from '@trpc/server';
import Fastify from 'fastify';
import { fastifyTRPCOpenApiPlugin, type OpenApiMeta } from 'trpc-to-openapi';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';

const BETTER =
  "trpc-to-openapi's adapter does better than when REST routes were written. Try it in place of src/http/rest.ts, and delete what it replaces";

const t = initTRPC.meta<OpenApiMeta>().create();
const router = t.router({
  known: t.procedure
    .meta({ openapi: { method: 'GET', path: '/known' } })
    .input(z.object({}))
    .output(z.object({}))
    .query(() => ({})),
});
const app = Fastify();

beforeAll(async () => {
  await app.register(fastifyTRPCOpenApiPlugin, { router, createContext: () => ({}) });
  await app.ready();
});
afterAll(() => app.close());

it('answers HEAD with 204 on every path', async () => {
  for (const url of ['/known', '/unknown'])
    expect((await app.inject({ method: 'HEAD', url })).statusCode, BETTER).toBe(204);
});

it('answers a wrong method with 404 and no Allow', async () => {
  const { statusCode, headers } = await app.inject({ method: 'POST', url: '/known' });
  expect([statusCode, Object.keys(headers).includes('allow')], BETTER).toEqual([404, false]);
});
