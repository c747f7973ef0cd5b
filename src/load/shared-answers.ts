// Shared answers: callers who ask the same at the same moment get one answer, which ends when none waits for it.
import { AppError, TOOK_TOO_LONG } from '../errors.ts';
import { unlessAborted } from '../signal.ts';
import type { FairQueue, Leave } from './fair-queue.ts';

export interface Asked<Answer> {
  /** Equal for those who may share an answer. */
  readonly key: string;
  readonly caller: string;
  readonly queue: FairQueue;
  /** @param signal aborts when nobody waits any more, and when the answer takes too long */
  answer(signal: AbortSignal): Promise<Answer>;
  readonly signal: AbortSignal;
}

interface Shared<Answer> {
  readonly answer: PromiseWithResolvers<Answer>;
  waiting: number;
  /** By caller: the answer, which begins in the turn of any of them. */
  readonly turns: Map<string, Promise<Answer>>;
  /** Aborts when the answer begins or nobody waits for that any more. */
  readonly begun: AbortController;
  readonly ending: AbortController;
}

export class SharedAnswers<Answer> {
  /** Requests that were given the answer that another waited for. */
  shared = 0;
  /** Answers that were ended because all who waited had left. */
  abandoned = 0;
  readonly #running = new Map<string, Shared<Answer>>();
  readonly #limitMs: number | undefined;

  /** @param limitMs how long an answer may take from its turn on, in milliseconds. As long as it likes by default */
  constructor(limitMs?: number) {
    this.#limitMs = limitMs;
  }

  /**
   * Each caller stands in the queue, and the earliest turn counts: a question that a flooder asked before does not
   * wait behind the flooder's others.
   *
   * @throws what the answer throws; AppError SERVICE_UNAVAILABLE if the queue refuses this caller
   */
  async ask(asked: Asked<Answer>): Promise<Answer> {
    const { key, caller, signal } = asked;
    signal.throwIfAborted();
    const shared = this.#running.get(key) ?? opened<Answer>();
    if (shared.waiting > 0) this.shared++;
    this.#running.set(key, shared);
    shared.waiting++;
    try {
      const answer = shared.turns.get(caller) ?? this.#answerInTurn(shared, asked);
      shared.turns.set(caller, answer);
      return await unlessAborted(answer, signal);
    } finally {
      shared.waiting--;
      if (shared.waiting === 0 && this.#running.get(key) === shared) {
        this.#running.delete(key); // a later request is not told that it was abandoned
        if (shared.begun.signal.aborted) this.abandoned++;
        shared.begun.abort('abandoned');
        shared.ending.abort(new Error('Nobody waits for the answer any more'));
      }
    }
  }

  async #answerInTurn(shared: Shared<Answer>, asked: Asked<Answer>): Promise<Answer> {
    const { begun, turns } = shared;
    const { signal } = begun;
    const leave = await asked.queue.enter(asked.caller, signal).catch((error) => {
      turns.delete(asked.caller);
      if (!signal.aborted) throw error; // else the turn of another came first
    });
    if (signal.aborted) leave?.();
    else if (leave) void this.#begin(shared, asked, leave);
    return shared.answer.promise;
  }

  async #begin(shared: Shared<Answer>, { key, answer }: Asked<Answer>, leave: Leave) {
    shared.begun.abort('begun');
    const late = () => shared.ending.abort(new AppError('GATEWAY_TIMEOUT', TOOK_TOO_LONG));
    const timer = this.#limitMs === undefined ? undefined : setTimeout(late, this.#limitMs);
    try {
      shared.answer.resolve(await answer(shared.ending.signal));
    } catch (error) {
      shared.answer.reject(error);
    }
    clearTimeout(timer);
    leave();
    if (this.#running.get(key) === shared) this.#running.delete(key);
  }
}

function opened<Answer>(): Shared<Answer> {
  const answer = Promise.withResolvers<Answer>();
  answer.promise.catch(() => {}); // all who waited may have left
  const [begun, ending] = [new AbortController(), new AbortController()];
  return { answer, waiting: 0, turns: new Map(), begun, ending };
}
