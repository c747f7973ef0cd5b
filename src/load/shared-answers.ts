// Identical questions of one moment share one answer, and end when nobody waits for it any more.
import { AppError, TOOK_TOO_LONG } from '../errors.ts';
import type { Context } from '../procedures/trpc.ts';
import { Ending, type Signal } from '../signal.ts';

/** The questions that are being answered, and how many were ever. */
export interface InFlight {
  /** By what they ask. */
  readonly questions: Record<string, Question>;
  /** Callers who were given the answer to another's question. */
  coalesced: number;
  /** Questions that were cancelled, because all who asked had left. */
  abandoned: number;
}

/** @returns room for them; not a Map, because V8 chains the tables that one outgrew, and each keeps its answers */
export function createInFlight(): InFlight {
  return { questions: Object.create(null), coalesced: 0, abandoned: 0 };
}

interface Question {
  readonly answer: Promise<unknown>;
  /** Counts the callers who wait, and abandons the question when the last one leaves. */
  join(signal: Signal | undefined): void;
}

interface Call {
  readonly ctx: Context;
  readonly path: string;
  readonly input: unknown;
  readonly signal: Signal | undefined;
}

/**
 * Makes a resolver whose answer is shared: a caller whose question is already being answered gets that answer, or
 * its error. The clock is that of whoever asked first. Times relative to now are then earlier by no more than the
 * answer took: it is no older on arrival than the answer to a lone caller.
 *
 * When all who asked have left, its statement is cancelled. So it is when all its statements together take too long.
 *
 * @param answer is not told who asks, least of all their `signal`: a caller that goes away would take the
 *   answer along
 */
export function coalesced<Asked extends Call, Answer>(
  answer: (call: Pick<Asked, 'ctx' | 'input'>) => Promise<Answer>,
) {
  return ({ ctx, path, input, signal }: Asked): Promise<Answer> => {
    signal?.throwIfAborted(); // who has left already would never leave again
    const { inFlight } = ctx;
    const { questions } = inFlight;
    // who has a place and waited for one who waits for a place would keep it from him
    const key = `${path} ${JSON.stringify(input)}${ctx.hasPlace ? ' at once' : ''}`;
    const running = questions[key];
    if (running) inFlight.coalesced++;
    const question = running ?? begin();
    question.join(signal);
    return question.answer as Promise<Answer>;

    function begin(): Question {
      const abandoned = new Ending();
      let waiting = 0;
      const end = () => {
        if (questions[key] === question) delete questions[key];
      };
      const leave = () => {
        waiting--;
        if (waiting > 0 || questions[key] !== question) return;
        inFlight.abandoned++;
        end(); // who asks from now on is not told that it was abandoned
        abandoned.abort(new Error('Nobody waits for the answer any more'));
      };
      const run = () => {
        const running = answer({ ctx: { ...ctx, db: endingWith(abandoned, ctx.db) }, input });
        if (ctx.questionTimeoutMs === undefined) return running;
        const late = () => abandoned.abort(new AppError('GATEWAY_TIMEOUT', TOOK_TOO_LONG));
        const timer = setTimeout(late, ctx.questionTimeoutMs);
        return running.finally(() => clearTimeout(timer));
      };
      const entering = ctx.enter(path, input, abandoned);
      const question: Question = {
        answer: entering ? entering.then((leave) => run().finally(leave)) : run(),
        join(signal) {
          waiting++;
          signal?.addEventListener('abort', () => leave()); // one each: a request may ask the same twice
        },
      };
      questions[key] = question;
      question.answer.then(end, end);
      return question;
    }
  };
}

/** @returns the database for one question: its statements end when `signal` aborts */
function endingWith(signal: Signal, db: Context['db']): Context['db'] {
  return {
    ...db,
    query: (statement, values) => db.query(statement, values, signal),
    readRows: (statement, values) => db.readRows(statement, values, signal),
  };
}
