// One call of a procedure, as the transports make it.
import { callTRPCProcedure } from '@trpc/server';
import { appRouter } from './router.ts';
import type { Context } from './trpc.ts';

/**
 * @param input anything; what the procedure does not take is refused
 * @param signal ends a stream before its end
 * @returns what the procedure at `path` answers
 * @throws TRPCError
 */
export function call(path: string, input: unknown, ctx: Context, signal?: AbortSignal): Promise<unknown> {
  return callTRPCProcedure({
    router: appRouter,
    path,
    getRawInput: async () => input,
    ctx,
    type: 'query',
    signal,
    batchIndex: 0,
  });
}
