// Shared answers: callers who ask the same at the same moment get one answer, which ends when none waits for it.
import { AppError, TOOK_TOO_LONG } from '../errors.ts';
import { Ending, type Signal, unlessAborted } from '../signal.ts';
import type { FairQueue } from './fair-queue.ts';

/** What a caller asks. */
export interface Asked<Answer> {
  /** Equal for those who may share an answer. */
  readonly key: string;
  readonly caller: string;
  /** Where the caller waits for its turn. */
  readonly queue: FairQueue;
  /** @param signal aborts when nobody waits any more, and when the answer takes too long */
  answer(signal: Signal): Promise<Answer>;
  /** Aborts when the caller leaves. */
  readonly signal: Signal;
}

interface Shared<Answer> {
  readonly answer: PromiseWithResolvers<Answer>;
  /** Requests that wait for the answer. */
  waiting: number;
  /** By caller: until the answer begins, in the turn of any of them. */
  readonly turns: Map<string, Promise<void>>;
  /** Aborts when the answer begins or nobody waits for that any more. */
  readonly begun: Ending;
  readonly ending: Ending;
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
    const running = this.#running.get(key);
    if (running) this.shared++;
    const shared = running ?? opened<Answer>();
    this.#running.set(key, shared);
    shared.waiting++;
    try {
      if (!shared.begun.aborted) {
        const turn = shared.turns.get(caller) ?? this.#standInQueue(shared, asked);
        shared.turns.set(caller, turn);
        await unlessAborted(turn, signal);
      }
      return await unlessAborted(shared.answer.promise, signal);
    } finally {
      shared.waiting--;
      if (shared.waiting === 0 && this.#running.get(key) === shared) {
        this.#running.delete(key); // a later request is not told that it was abandoned
        if (shared.begun.aborted) this.abandoned++;
        shared.begun.abort('abandoned');
        shared.ending.abort(new Error('Nobody waits for the answer any more'));
      }
    }
  }

  async #standInQueue(shared: Shared<Answer>, asked: Asked<Answer>): Promise<void> {
    const { begun, ending, turns } = shared;
    const { key, caller, queue, answer } = asked;
    const leave = await queue.enter(caller, begun).catch((error) => {
      turns.delete(caller);
      if (!begun.aborted) throw error; // else the turn of another came first
    });
    if (!leave || begun.aborted) return leave?.();
    begun.abort('begun');
    const late = () => ending.abort(new AppError('GATEWAY_TIMEOUT', TOOK_TOO_LONG));
    const timer = this.#limitMs === undefined ? undefined : setTimeout(late, this.#limitMs);
    const end = () => {
      clearTimeout(timer);
      leave();
      if (this.#running.get(key) === shared) this.#running.delete(key);
    };
    const answered = async () => answer(ending);
    void answered().finally(end).then(shared.answer.resolve, shared.answer.reject);
  }
}

function opened<Answer>(): Shared<Answer> {
  const answer = Promise.withResolvers<Answer>();
  answer.promise.catch(() => {}); // all who waited may have left
  return { answer, waiting: 0, turns: new Map(), begun: new Ending(), ending: new Ending() };
}
