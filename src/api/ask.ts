// Asks questions: each waits for its turn, and callers with the same question share its answer.
import type { Database } from '../db/database.ts';
import type { Admission } from '../load/admission.ts';
import type { SharedAnswers } from '../load/shared-answers.ts';
import type { Signal } from '../signal.ts';
import type { Answer } from './answers.ts';
import type { Context } from './context.ts';
import type { Question } from './operation.ts';

/** Who asks, and with what. */
export interface Caller {
  readonly context: Context;
  /** What the queues tell callers apart by. */
  readonly name: string;
}

/** What calls wait for, and what they share. */
export interface Turns {
  readonly admission: Admission;
  readonly answers: SharedAnswers<Answer>;
}

/**
 * Asks a question, on whichever transport.
 *
 * @throws AppError SERVICE_UNAVAILABLE where its turn does not come; else as the operation does
 */
export async function ask(
  question: Question,
  { context, name }: Caller,
  { admission, answers }: Turns,
): Promise<Answer> {
  const { operation } = question;
  if (operation.isProbe) return question.answer(context);
  const { signal } = context;
  if (operation.kind === 'file') {
    const answer = await question.answer(context);
    if (answer.kind !== 'file') return answer;
    return { ...answer, pieces: inSlot(admission, name, signal, answer.pieces) };
  }
  const queue = question.isHeavy(context) ? admission.heavy : admission.light;
  if (operation.kind === 'stream') {
    const leave = await admission.streams.enter(name, signal);
    signal.addEventListener('abort', leave);
    const leaveQueue = await queue.enter(name, signal);
    return question.answer(context).finally(leaveQueue);
  }
  return answers.ask({
    key: `${operation.name} ${context.pageType} ${JSON.stringify(question.parameters)}`,
    caller: name,
    queue,
    answer: (ending) => question.answer({ ...context, signal: ending, db: endingWith(ending, context.db) }),
    signal,
  });
}

/** Gives the pieces of an export as soon as it has a slot, which it holds until they end. */
async function* inSlot<Piece>(
  { exports }: Admission,
  name: string,
  signal: Signal,
  pieces: AsyncIterable<Piece>,
) {
  const leave = await exports.enter(name, signal);
  try {
    yield* pieces;
  } finally {
    leave();
  }
}

/** @returns the database for one answer: its statements end when `signal` aborts */
function endingWith(signal: Signal, db: Database): Database {
  return {
    ...db,
    query: (statement, values) => db.query(statement, values, signal),
  };
}
