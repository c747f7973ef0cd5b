// Identical questions of one moment share one answer.
import type { Context } from './trpc.ts';

interface Call {
  readonly ctx: Context;
  readonly path: string;
  readonly input: unknown;
}

/**
 * Makes a resolver whose answer is shared: who asks what is being answered already gets that answer, or its
 * error. The clock is that of whoever asked first. Times relative to now are then earlier by no more than the
 * answer took: it is no older on arrival than the answer to a lone caller.
 *
 * @param answer is not told who asks, least of all their `signal`: a caller that goes away would take the
 *   answer along
 */
export function coalesced<One extends Call, Answer>(
  answer: (call: Pick<One, 'ctx' | 'input'>) => Promise<Answer>,
) {
  return ({ ctx, path, input }: One): Promise<Answer> => {
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
