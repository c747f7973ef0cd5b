// Shared answers: callers who ask the same at the same moment get one answer, which ends when none waits for it.
import { AppError, TOOK_TOO_LONG } from '../errors.ts';
import { Ending, type Signal, unlessAborted } from '../signal.ts';
import type { FairQueue, Leave } from './fair-queue.ts';

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
  /** Aborts the answer. */
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
    const shared = running ?? this.#open(key);
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
      if (shared.waiting === 0 && this.#running.get(key) === shared) this.#abandon(key, shared);
    }
  }

  #open(key: string): Shared<Answer> {
    const answer = Promise.withResolvers<Answer>();
    answer.promise.catch(() => {}); // all who waited may have left
    const shared = { answer, waiting: 0, turns: new Map(), begun: new Ending(), ending: new Ending() };
    this.#running.set(key, shared);
    return shared;
  }

  async #standInQueue(shared: Shared<Answer>, asked: Asked<Answer>): Promise<void> {
    const { begun, turns } = shared;
    const leave = await asked.queue.enter(asked.caller, begun).catch((error) => {
      turns.delete(asked.caller);
      if (!begun.aborted) throw error; // else the turn of another came first
    });
    if (!leave || begun.aborted) return leave?.();
    begun.abort('begun');
    void this.#answer(shared, asked, leave);
  }

  async #answer(shared: Shared<Answer>, { key, answer }: Asked<Answer>, leave: Leave): Promise<void> {
    const { ending } = shared;
    const late = () => ending.abort(new AppError('GATEWAY_TIMEOUT', TOOK_TOO_LONG));
    const timer = this.#limitMs === undefined ? undefined : setTimeout(late, this.#limitMs);
    const end = () => {
      clearTimeout(timer);
      leave();
      if (this.#running.get(key) === shared) this.#running.delete(key);
    };
    const answered = async () => answer(ending);
    await answered().finally(end).then(shared.answer.resolve, shared.answer.reject);
  }

  #abandon(key: string, { begun, ending }: Shared<Answer>): void {
    this.#running.delete(key); // a later request is not told that it was abandoned
    if (begun.aborted) this.abandoned++;
    begun.abort('abandoned');
    ending.abort(new Error('Nobody waits for the answer any more'));
  }
}
