// Shared answers: callers who ask the same at the same moment get one answer, which ends when none waits for it.
import { AppError, TOOK_TOO_LONG } from '../errors.ts';
import { Ending, type Signal } from '../signal.ts';
import type { FairQueue, Leave } from './fair-queue.ts';

/** One for all: a stack takes a fiftieth of the processor time of a small answer. */
const OTHER_TURN = new Error('The turn of another came first');

interface Shared<Answer> {
  readonly answer: Promise<Answer>;
  /** Callers who wait for the answer. */
  callers: number;
  isBegun: boolean;
  /** Those of the callers who stand in the queue: the first whose turn comes begins. */
  readonly turns: Set<Ending>;
  begin(leave: Leave): void;
  abandon(): void;
}

/** What a caller asks. */
export interface Asked<Answer> {
  /** Equal for those who may share an answer. */
  readonly key: string;
  readonly caller: string;
  /** When its request came. */
  readonly requestedAt: number;
  /** Where the caller waits for its turn. */
  readonly queue: FairQueue;
  /**
   * @param signal aborts when nobody waits any more, and when the answer takes too long. It is not that of the first
   *   caller, who may leave before the others
   */
  answer(signal: Signal): Promise<Answer>;
  /** Aborts when the caller leaves. */
  readonly signal: Signal;
}

export class SharedAnswers<Answer> {
  /** By key. Not a Map: V8 keeps the tables that one outgrew, and with them old answers. */
  readonly #running: Record<string, Shared<Answer>> = Object.create(null);
  readonly #limitMs: number | undefined;
  #shared = 0;
  #abandoned = 0;

  /** @param limitMs how long an answer may take from its turn on, in milliseconds. As long as it likes by default */
  constructor(limitMs?: number) {
    this.#limitMs = limitMs;
  }

  /** Callers who were given the answer that another waited for. */
  get shared(): number {
    return this.#shared;
  }

  /** Answers that were ended because all who waited had left. */
  get abandoned(): number {
    return this.#abandoned;
  }

  /**
   * Each caller stands in the queue by itself, and the earliest turn counts: a question that a flooder asked before
   * does not wait behind the flooder's others. Times relative to now are those of the first caller, so an answer is no
   * older on arrival than one to a lone caller.
   *
   * @throws what the answer throws; AppError SERVICE_UNAVAILABLE where the queue refuses this caller
   */
  async ask(asked: Asked<Answer>): Promise<Answer> {
    const { key, signal } = asked;
    signal.throwIfAborted(); // a caller that has left already would never leave again
    const running = this.#running[key];
    if (running) this.#shared++;
    const shared = running ?? this.#open(asked);
    const turn = new Ending();
    const leave = () => {
      shared.callers--;
      turn.abort(signal.reason);
      if (shared.callers === 0) shared.abandon();
    };
    shared.callers++;
    signal.addEventListener('abort', leave);
    try {
      if (!shared.isBegun) await standInQueue(shared, asked, turn);
      return await shared.answer;
    } finally {
      signal.removeEventListener('abort', leave); // a batch would keep every answer until its last
      if (!signal.aborted) leave();
    }
  }

  #open({ key, answer }: Asked<Answer>): Shared<Answer> {
    const ending = new Ending();
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    promise.catch(() => {}); // all who waited may have left
    const close = () => {
      if (this.#running[key] === shared) delete this.#running[key];
    };
    const shared: Shared<Answer> = {
      answer: promise,
      callers: 0,
      isBegun: false,
      turns: new Set(),
      begin: (leave) => {
        if (shared.isBegun || ending.aborted) return leave();
        shared.isBegun = true;
        for (const turn of shared.turns) turn.abort(OTHER_TURN);
        const late = () => ending.abort(new AppError('GATEWAY_TIMEOUT', TOOK_TOO_LONG));
        const timer = this.#limitMs === undefined ? undefined : setTimeout(late, this.#limitMs);
        const end = () => {
          clearTimeout(timer);
          leave();
          close();
        };
        const answered = async () => answer(ending);
        answered().finally(end).then(resolve, reject);
      },
      abandon: () => {
        if (this.#running[key] !== shared) return;
        close(); // who asks from now on is not told that it was abandoned
        ending.abort(new Error('Nobody waits for the answer any more'));
        if (shared.isBegun) this.#abandoned++;
        else reject(ending.reason);
      },
    };
    this.#running[key] = shared;
    return shared;
  }
}

/** Waits for the turn of the caller, which begins the answer, or for that of another who asked the same. */
async function standInQueue<Answer>(
  shared: Shared<Answer>,
  { queue, caller, requestedAt }: Asked<Answer>,
  turn: Ending,
): Promise<void> {
  const slot = queue.tryEnter(caller);
  if (slot) return shared.begin(slot);
  shared.turns.add(turn);
  try {
    shared.begin(await queue.enter(caller, turn, requestedAt));
  } catch (error) {
    if (!turn.aborted) throw error; // else another's turn came first, or the caller has left
  } finally {
    shared.turns.delete(turn);
  }
}
