// Shared answers: equal queries at the same moment share one answer, which is cancelled when no caller waits.
import { AppError, TOOK_TOO_LONG } from '../errors.ts';
import { unlessAborted } from '../signal.ts';
import type { FairQueue, Leave } from './fair-queue.ts';

export interface SharedRequest<Answer> {
  /** Queries with equal keys may share an answer. */
  readonly key: string;
  readonly caller: string;
  readonly queue: FairQueue;
  /** @param signal aborts when no caller waits any more, or when the answer takes too long */
  answer(signal: AbortSignal): Promise<Answer>;
  readonly signal: AbortSignal;
}

interface Shared<Answer> {
  readonly answer: PromiseWithResolvers<Answer>;
  waiting: number;
  /** The answer, by waiting caller. It begins once any of them gets a slot. */
  readonly queued: Map<string, Promise<Answer>>;
  /** Aborts when the answer begins, or when no caller waits any more. */
  readonly begun: AbortController;
  readonly ending: AbortController;
}

export class SharedAnswers<Answer> {
  /** The number of requests that joined another request's answer. */
  shared = 0;
  /** The number of answers cancelled because all callers had left. */
  abandoned = 0;
  readonly #running = new Map<string, Shared<Answer>>();
  readonly #limitMs: number | undefined;

  /** @param limitMs the time limit of an answer once it has a slot, in milliseconds. None by default */
  constructor(limitMs?: number) {
    this.#limitMs = limitMs;
  }

  /**
   * Each caller waits in the queue, and the first slot starts the answer. So if a flooding caller sent the same
   * query, nobody waits behind its other queries.
   *
   * @throws what the answer throws; AppError SERVICE_UNAVAILABLE if the queue refuses this caller
   */
  async get(request: SharedRequest<Answer>): Promise<Answer> {
    const { key, caller, signal } = request;
    signal.throwIfAborted();
    const shared = this.#running.get(key) ?? opened<Answer>();
    if (shared.waiting > 0) this.shared++;
    this.#running.set(key, shared);
    shared.waiting++;
    try {
      const answer = shared.queued.get(caller) ?? this.#answerQueued(shared, request);
      shared.queued.set(caller, answer);
      return await unlessAborted(answer, signal);
    } finally {
      shared.waiting--;
      if (shared.waiting === 0 && this.#running.get(key) === shared) {
        this.#running.delete(key); // a later request must not join an abandoned answer
        if (shared.begun.signal.aborted) this.abandoned++;
        shared.begun.abort('abandoned');
        shared.ending.abort(new Error('Nobody waits for the answer any more'));
      }
    }
  }

  async #answerQueued(shared: Shared<Answer>, request: SharedRequest<Answer>): Promise<Answer> {
    const { begun, queued } = shared;
    const { signal } = begun;
    const leave = await request.queue.enter(request.caller, signal).catch((error) => {
      queued.delete(request.caller);
      if (!signal.aborted) throw error; // otherwise another caller got a slot first
    });
    if (signal.aborted) leave?.();
    else if (leave) void this.#begin(shared, request, leave);
    return shared.answer.promise;
  }

  async #begin(shared: Shared<Answer>, { key, answer }: SharedRequest<Answer>, leave: Leave) {
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
  answer.promise.catch(() => {}); // all callers may have left
  const [begun, ending] = [new AbortController(), new AbortController()];
  return { answer, waiting: 0, queued: new Map(), begun, ending };
}
