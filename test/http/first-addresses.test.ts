// The addresses that people and programs try first.
import { describe, expect, it } from 'vitest';
import { Problem } from '../../src/contract/problem.ts';
import { startSmallService } from '../client/embedded-service.ts';
import { openForAll } from '../engines.ts';
import { send } from './raw.ts';

describe('The first addresses', () => {
  const service = openForAll(() => startSmallService());

  it.each([
    ['/openapi.json', 'api/v1/openapi.json'],
    ['/openapi.json?absolute', 'api/v1/openapi.json?absolute'],
    ['/api', 'docs/'],
    ['/api/v1', '../docs/'],
    ['/docs/errors', '../manual/reference/errors.html'],
  ])('%s is a redirect to %s', async (path, location) => {
    for (const method of ['GET', 'HEAD']) {
      const { status, headers } = await send(`${service.url}${path}`, {}, method);
      expect([status, headers.location]).toEqual([308, location]);
    }
    expect((await fetch(`${service.url}${path}`)).status).toBe(200);
  });

  it('the type of every problem leads to its section', async () => {
    const page = await (await fetch(`${service.url}/docs/errors`)).text();
    for (const code of Problem.shape.code.options)
      expect(page).toContain(`id="${code.toLowerCase().replaceAll('_', '-')}"`);
  });

  it('/healthz answers as health.live does, with any host', async () => {
    const { status, headers, body } = await send(`${service.url}/healthz`, { host: 'pod.example' });
    expect([status, headers['cache-control'], `${body}`]).toEqual([200, 'no-store', '{"status":"ok"}']);
  });

  it('/.well-known/api-catalog leads to the document, the reference and the probe', async () => {
    const url = `${service.url}/.well-known/api-catalog`;
    const { headers, body } = await send(url);
    const { 'content-type': type, link } = headers;
    expect([type, link]).toEqual([
      'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"',
      '<api-catalog>; rel="api-catalog"',
    ]);
    const [{ anchor, ...links }] = JSON.parse(`${body}`).linkset;
    expect(new URL(anchor, url).pathname).toBe('/api/v1');
    for (const relation of ['service-desc', 'service-doc', 'status']) {
      const [{ href, type: expected }] = links[relation];
      const answer = await fetch(new URL(href, url));
      expect([answer.status, answer.headers.get('content-type')]).toEqual([
        200,
        expect.stringContaining(expected),
      ]);
    }
  });
});
