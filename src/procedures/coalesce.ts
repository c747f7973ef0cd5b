// One answer for all who ask the same at the same moment.
import { withoutText } from './json-text.ts';
import type { Context } from './trpc.ts';

interface Question {
  readonly ctx: Context;
  readonly path: string;
  readonly input: unknown;
}

/**
 * Makes a resolver whose answer is shared: who asks what is being answered already is given that answer, or
 * its error. It belongs to the clock of whoever asked first, so times relative to now mean then: an instant
 * earlier by no more than the answer took, and no older on arrival than the answer to a lone caller.
 *
 * @param answer is not told who asks, least of all their `signal`: a caller that goes away would take the
 *   answer along
 */
export function shared<Asked extends Question, Answer>(
  answer: (question: Pick<Asked, 'ctx' | 'input'>) => Promise<Answer>,
) {
  return async ({ ctx, path, input }: Asked): Promise<Answer> => {
    const { inFlight } = ctx;
    const key = `${path} ${JSON.stringify(input)}`;
    let running = inFlight[key] as Promise<Answer> | undefined;
    if (!running) {
      running = answer({ ctx, input });
      inFlight[key] = running;
      const end = () => delete inFlight[key];
      running.then(end, end);
    }
    return withoutText(await running, ctx.texts);
  };
}
