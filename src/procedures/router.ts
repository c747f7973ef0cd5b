// Every operation of the service. Both transports serve these and nothing else.
import { callTRPCProcedure } from '@trpc/server';
import type { z } from 'zod';
import type { Signal } from '../signal.ts';
import { audio } from './audio.ts';
import { events } from './events.ts';
import { csvExport } from './export.ts';
import { health } from './health.ts';
import { stats } from './stats.ts';
import { type Context, type Declaration, router } from './trpc.ts';

export const appRouter = router({ audio, stats, events, export: csvExport, health });
export type AppRouter = typeof appRouter;

interface Procedure {
  readonly _def: { readonly meta?: Declaration; readonly inputs: readonly z.ZodType[] };
}

// flat at run time, though the type nests them
const procedures = Object.entries(appRouter._def.procedures as Record<string, object>) as [
  string,
  Procedure,
][];

/** What each procedure declares, by its path, such as `audio.latest`. */
export const declarations: ReadonlyMap<string, Declaration> = new Map(
  procedures.map(([path, { _def }]) => {
    if (!_def.meta) throw new Error(`${path} declares nothing`);
    return [path, _def.meta];
  }),
);

const schemas = new Map(procedures.map(([path, { _def }]) => [path, _def.inputs[0]]));

/** @returns how many points a call reads or sends at most, as it declares; 0 where its input will be refused */
export function pointsAsked(path: string, input: unknown): number {
  const read = schemas.get(path)?.safeParse(input);
  return read?.success ? (declarations.get(path)?.points?.(read.data as never) ?? 0) : 0;
}

/**
 * One call of a procedure, as the transports make it.
 *
 * @param input anything; what the procedure does not take is refused
 * @param signal ends a stream before its end
 * @returns what the procedure at `path` answers
 * @throws TRPCError
 */
export function call(path: string, input: unknown, ctx: Context, signal?: Signal): Promise<unknown> {
  return callTRPCProcedure({
    router: appRouter,
    path,
    getRawInput: async () => input,
    ctx,
    type: 'query',
    signal: signal as AbortSignal | undefined, // tRPC only hands it on
    batchIndex: 0,
  });
}
