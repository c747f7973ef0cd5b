// tRPC, as the service sets it up: its context, and what its errors show.
import { initTRPC, type TRPCDefaultErrorShape, type TRPCError } from '@trpc/server';
import type { OpenApiMeta } from 'trpc-to-openapi';
import { publicError } from '../errors.ts';
import type { Context } from './context.ts';

export type Meta = OpenApiMeta;

/**
 * An error as tRPC's clients see it: without a stack, and without what is not meant for callers. Its message names the
 * bad parameters too, as frontends show nothing else.
 */
export function formatError({ shape, error }: { shape: TRPCDefaultErrorShape; error: TRPCError }) {
  const { message, errors } = publicError(error);
  const details = errors?.map(({ parameter, detail }) => `${parameter} ${detail}`) ?? [];
  return {
    ...shape,
    message: details.length > 0 ? `${message}: ${details.join('; ')}` : message,
    data: { ...shape.data, errors },
  };
}
export type ErrorShape = ReturnType<typeof formatError>;

const t = initTRPC.context<Context>().meta<Meta>().create({ isDev: false, errorFormatter: formatError });

export const router = t.router;
export const procedure = t.procedure;
