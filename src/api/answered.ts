// The middleware of questions: each waits for its turn, and callers with the same question share its answer.
import type { TRPCMiddlewareFunction } from '@trpc/server';
import type { Database } from '../db/database.ts';
import type { Signal } from '../signal.ts';
import type { Context } from './context.ts';
import type { Meta } from './meta.ts';

/** A question that reads or sends more points than this is heavy. */
export const LIGHT_POINTS = 1000;

/**
 * Answers a question in its turn, once for all who ask it at the same moment, within the time that it may take.
 *
 * @param isHeavy whether it waits in the queue of heavy ones
 */
export function answered<Input>(
  isHeavy: (input: Input) => boolean,
): TRPCMiddlewareFunction<Context, Meta, object, object, Input> {
  return ({ ctx, path, input, next }) => {
    const { admission, answers, caller, signal, db } = ctx;
    return answers.ask({
      key: JSON.stringify([path, ctx.pageType, input]),
      caller,
      queue: isHeavy(input) ? admission.heavy : admission.light,
      answer: (ending) => next({ ctx: { signal: ending, db: endingWith(ending, db) } }),
      signal,
    });
  };
}

/** @returns the database for one answer: its statements end when `signal` aborts */
function endingWith(signal: Signal, db: Database): Database {
  return {
    ...db,
    query: (statement, values) => db.query(statement, values, signal),
  };
}

export const light = answered(() => false);
export const heavy = answered(() => true);
export const byLimit = answered(({ limit }: { limit: number }) => limit > LIGHT_POINTS);
