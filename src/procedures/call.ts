// One call of a procedure, as the transports make it.
import { callTRPCProcedure } from '@trpc/server';
import { appRouter } from './router.ts';
import type { Context } from './trpc.ts';

/** @returns what the procedure at `path` answers to `input`, which may be anything */
export function call(path: string, input: unknown, ctx: Context, signal?: AbortSignal): Promise<unknown> {
  const getRawInput = async () => input;
  return callTRPCProcedure({
    router: appRouter,
    path,
    getRawInput,
    ctx,
    type: 'query',
    signal,
    batchIndex: 0,
  });
}
