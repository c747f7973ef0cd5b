// Identical questions of one moment share one answer.
import type { Context } from './trpc.ts';

/** The answers that are being made, by question. */
export type InFlight = Record<string, Promise<unknown>>;

/** @returns room for them; not a Map, because V8 chains the tables that one outgrew, and each keeps its answers */
export function createInFlight(): InFlight {
  return Object.create(null);
}

interface Call {
  readonly ctx: Context;
  readonly path: string;
  readonly input: unknown;
}

/**
 * Makes a resolver whose answer is shared: a caller whose question is already being answered gets that answer, or
 * its error. The clock is that of whoever asked first. Times relative to now are then earlier by no more than the
 * answer took: it is no older on arrival than the answer to a lone caller.
 *
 * @param answer is not told who asks, least of all their `signal`: a caller that goes away would take the
 *   answer along
 */
export function coalesced<Asked extends Call, Answer>(
  answer: (call: Pick<Asked, 'ctx' | 'input'>) => Promise<Answer>,
) {
  return ({ ctx, path, input }: Asked): Promise<Answer> => {
    const { inFlight } = ctx;
    const key = `${path} ${JSON.stringify(input)}`;
    const running = inFlight[key] as Promise<Answer> | undefined;
    if (running) return running;
    const started = answer({ ctx, input });
    inFlight[key] = started;
    const end = () => delete inFlight[key];
    started.then(end, end);
    return started;
  };
}
