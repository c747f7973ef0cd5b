// Shared answers: equal queries at the same moment share one answer, which is cancelled when no caller waits.
import { AppError, TOOK_TOO_LONG } from '../errors.ts';
import { unlessAborted } from '../signal.ts';
import type { FairQueue, Leave } from './fair-queue.ts';

interface SharedRequest<Answer> {
  /** Queries with equal keys may share an answer. */
  readonly key: string;
  /** The queue in which each caller waits. Without one, the answer begins at once. */
  readonly queue?: FairQueue;
  readonly caller?: string;
  /** @param signal aborts when no caller waits any more, or when the answer takes too long */
  answer(signal: AbortSignal): Promise<Answer>;
  readonly signal?: AbortSignal;
}

interface Shared<Answer> {
  readonly answer: PromiseWithResolvers<Answer>;
  waiting: number;
  /** The answer, by waiting caller. It begins once any of them gets a slot. */
  readonly queued: Map<string, Promise<Answer>>;
  /** Aborts when the answer begins, or when no caller waits any more. */
  readonly begun: AbortController;
  readonly ending: AbortController;
  isSettled: boolean;
}

export class SharedAnswers<Answer> {
  /** The number of requests that joined another request's answer. */
  shared = 0;
  /** The number of answers cancelled because all callers had left. */
  abandoned = 0;
  readonly #running = new Map<string, Shared<Answer>>();
  readonly #limitMs: number | undefined;
  readonly #areKept: boolean;

  /** @param limitMs for an answer once it has a slot. @param areKept whether later requests share it, until `forget` */
  constructor({ limitMs, areKept = false }: { limitMs?: number | undefined; areKept?: boolean } = {}) {
    this.#limitMs = limitMs;
    this.#areKept = areKept;
  }

  /**
   * Each caller waits in the queue, and the first slot starts the answer. So if a flooding caller sent the same
   * query, nobody waits behind its other queries.
   *
   * @throws what the answer throws; AppError SERVICE_UNAVAILABLE if the queue refuses this caller
   */
  async get(request: SharedRequest<Answer>): Promise<Answer> {
    const { key, caller = '', signal } = request;
    signal?.throwIfAborted();
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
      if (shared.waiting === 0 && !shared.isSettled) {
        this.#drop(key, shared); // a later request must not join an abandoned answer
        if (shared.begun.signal.aborted) this.abandoned++;
        shared.begun.abort('abandoned');
        shared.ending.abort(new Error('Nobody waits for the answer any more'));
      }
    }
  }

  /** Makes later requests begin a new answer. */
  forget(): void {
    this.#running.clear();
  }

  #drop(key: string, shared: Shared<Answer>): void {
    if (this.#running.get(key) === shared) this.#running.delete(key);
  }

  async #answerQueued(shared: Shared<Answer>, request: SharedRequest<Answer>): Promise<Answer> {
    const { begun, queued } = shared;
    const { signal } = begun;
    const { queue, caller = '' } = request;
    const leave = await (queue?.enter(caller, signal) ?? NO_QUEUE).catch((error) => {
      queued.delete(caller);
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
    shared.isSettled = true;
    clearTimeout(timer);
    leave();
    if (!this.#areKept) this.#drop(key, shared);
  }
}

const NO_QUEUE = Promise.resolve<Leave>(() => {});

function opened<Answer>(): Shared<Answer> {
  const answer = Promise.withResolvers<Answer>();
  answer.promise.catch(() => {}); // all callers may have left
  const [begun, ending] = [new AbortController(), new AbortController()];
  return { answer, waiting: 0, queued: new Map(), begun, ending, isSettled: false };
}
