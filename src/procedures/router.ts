// Every operation of the service. Both transports serve these and nothing else.
import { TRPCError } from '@trpc/server';
import type { z } from 'zod';
import type { Signal } from '../signal.ts';
import { audio, liveAsQuery } from './audio.ts';
import { events } from './events.ts';
import { csvExport } from './export.ts';
import { health } from './health.ts';
import { service } from './service.ts';
import { stats } from './stats.ts';
import { type Context, type Declaration, router } from './trpc.ts';

export const appRouter = router({ audio, stats, events, export: csvExport, service, health });
/** The same without subscriptions, as the generator of the document can read it. */
export const documentedRouter = router({
  ...appRouter._def.record,
  audio: { ...audio._def.record, live: liveAsQuery },
});
export type AppRouter = typeof appRouter;

interface Procedure {
  readonly _def: {
    readonly meta?: Declaration;
    readonly inputs: readonly z.ZodType[];
    readonly middlewares: readonly unknown[];
    readonly resolver: (call: object) => Promise<unknown>;
  };
}

// flat at run time, though the type nests them
const procedures = Object.entries(appRouter._def.procedures as Record<string, object>) as [
  string,
  Procedure,
][];

interface Operation {
  readonly declaration: Declaration;
  readonly input: z.ZodType;
  readonly resolve: (call: object) => Promise<unknown>;
}

const operations: ReadonlyMap<string, Operation> = new Map(
  procedures.map(([path, { _def }]) => {
    const { meta: declaration, inputs, middlewares, resolver: resolve } = _def;
    const [input, ...moreInputs] = inputs;
    // the middlewares: tRPC's own for the input, the output, which a subscription does not declare, and the resolver
    const own = declaration?.isSubscription ? 2 : 3;
    if (!declaration || !input || moreInputs.length > 0 || middlewares.length !== own || !resolve)
      throw new Error(`${path} is not declared as the others are`);
    return [path, { declaration, input, resolve }];
  }),
);

/** What each procedure declares, by its path, such as `audio.latest`. */
export const declarations: ReadonlyMap<string, Declaration> = new Map(
  Array.from(operations, ([path, { declaration }]) => [path, declaration]),
);

/** @returns how many points a call reads or sends at most, as it declares; 0 where its input will be refused */
export function pointsAsked(path: string, input: unknown): number {
  const operation = operations.get(path);
  const read = operation?.input.safeParse(input);
  return read?.success ? (operation?.declaration.points?.(read.data as never) ?? 0) : 0;
}

/**
 * One call of a procedure, as the transports make it: what tRPC's callTRPCProcedure does. That copies the call seven
 * times on its way through middlewares that have nothing to add, a seventh of the processor time of a small answer.
 *
 * @param input anything; what the procedure does not take is refused
 * @param signal ends a question that nobody else waits for, and a stream before its end
 * @returns what the procedure at `path` answers
 * @throws TRPCError BAD_REQUEST where it does not take the input; else as the procedure does
 */
export async function call(path: string, input: unknown, ctx: Context, signal?: Signal): Promise<unknown> {
  const operation = operations.get(path);
  if (!operation)
    throw new TRPCError({ code: 'NOT_FOUND', message: `No "query"-procedure on path "${path}"` });
  const read = operation.input.safeParse(input);
  if (!read.success) throw new TRPCError({ code: 'BAD_REQUEST', cause: read.error });
  return operation.resolve({ ctx, path, input: read.data, signal });
}
