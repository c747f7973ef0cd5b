// Every operation of the service. Both transports serve these and nothing else.
import { callTRPCProcedure } from '@trpc/server';
import { audio } from './audio.ts';
import { events } from './events.ts';
import { csvExport } from './export.ts';
import { health } from './health.ts';
import { stats } from './stats.ts';
import { type Context, type Declaration, router } from './trpc.ts';

export const appRouter = router({ audio, stats, events, export: csvExport, health });
export type AppRouter = typeof appRouter;

/** What each procedure declares, by its path, such as `audio.latest`. */
export const declarations: ReadonlyMap<string, Declaration> = new Map(
  // flat at run time, though the type nests them
  Object.entries(appRouter._def.procedures as object).map(([path, { _def }]) => {
    if (!_def.meta) throw new Error(`${path} declares nothing`);
    return [path, _def.meta];
  }),
);

/**
 * One call of a procedure, as the transports make it.
 *
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
