// The tail of the points: reads new points once for all listeners, and keeps the frames sent last.
import { instantOf, instantOfMicros, microsOf } from '../../../contract/instant.ts';
import { SharedAnswers } from '../../../load/shared-answers.ts';
import { startLoop } from '../../../loop.ts';
import { newestTime, spacing } from '../../../points/point-times.ts';
import type { Store } from '../../../rollups/store.ts';
import { type Frame, frameOf } from './frame.ts';
import { tail } from './query.ts';
import type { SentView } from './replay.ts';
import { SentPoints } from './sent-points.ts';

export interface TailOptions {
  readonly store: Store;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  readonly pollMs: number;
  readonly log?: { warn(fields: object, message: string): void } | undefined;
}

/** The most new points that a poll reads, besides points with the same time as the last one. */
const MOST_NEW = 10_000;

/** How long frames are kept for listeners that reconnect, and up to how many bytes. */
const KEPT_MS = 60_000;
const KEPT_BYTES = 16 * 2 ** 20;

/** How often the spacing is measured, and the shortest pause that counts as stale. */
const SPACING_EVERY_MS = 60_000;
const LEAST_MISSED_MS = 2000;

export class Tail {
  readonly options: TailOptions;
  /** Resolves when the newest points were read; rejects if the database does not answer. */
  readonly begun: Promise<void>;
  isStale = false;
  sent = new SentPoints(0n);
  /** Reads that streams share if they begin between the same two polls. */
  readonly views = new SharedAnswers<SentView | undefined>({ areKept: true });
  readonly #ending = new AbortController();
  #frames: { readonly at: number; readonly frame: Frame }[] = [];
  #first = 0;
  #bytes = 0;
  #listeners = new Set<() => void>();
  #nextPoll = Promise.withResolvers<void>();
  /** When the last points arrived and the last successful poll began, by performance.now, as wall clocks may jump. */
  #arrivedAt = 0;
  #polledAt = 0;
  #spacing: { readonly seconds: number | null; readonly at: number } = { seconds: null, at: 0 };
  /** Set after a restart of the tail. The next frame asks listeners to drop points from this time on. */
  #restartFrom: string | null = null;

  constructor(options: TailOptions) {
    this.options = options;
    this.begun = this.#begin();
    this.begun.then(
      () => this.#run(),
      () => {},
    );
  }

  /** @param listener called for every new frame. @returns a function that unsubscribes */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  end(): void {
    this.#ending.abort(new Error('Nobody listens any more'));
  }

  get next(): number {
    return this.#first + this.#frames.length;
  }

  /** @returns the frame with this number; undefined if it does not exist yet, null if it was evicted */
  frame(number: number): Frame | undefined | null {
    return number < this.#first ? null : this.#frames[number - this.#first]?.frame;
  }

  /** @returns the number of the frame after the frame with this id; undefined if that frame was evicted */
  after(id: string): number | undefined {
    const index = this.#frames.findIndex(({ frame }) => frame.id === id);
    return index < 0 ? undefined : this.#first + index + 1;
  }

  /** Settles at the end of the next poll, even if that fails. */
  nextPoll(): Promise<void> {
    return this.#nextPoll.promise;
  }

  async #begin(): Promise<void> {
    const { store, clock } = this.options;
    this.#polledAt = performance.now();
    const now = instantOf(clock());
    const newest = await newestTime(store, now);
    this.sent = new SentPoints(microsOf(newest ?? now));
    while (this.sent.add(await this.#read(now)).length >= MOST_NEW);
    this.#arrivedAt = performance.now() - (Date.parse(now) - Date.parse(newest ?? now));
    void this.#measureSpacing();
  }

  #run(): void {
    const { pollMs, log } = this.options;
    if (this.#ending.signal.aborted) return;
    const { stop } = startLoop(
      async () => {
        try {
          return (await this.#poll()) ? 0 : pollMs;
        } finally {
          this.#publishStale();
          this.views.forget();
          this.#nextPoll.resolve();
          this.#nextPoll = Promise.withResolvers();
        }
      },
      (err, failures) => {
        if (failures === 1) log?.warn({ err }, 'Cannot read new points: streams wait until a retry succeeds');
        return pollMs;
      },
    );
    this.#ending.signal.addEventListener('abort', stop, { once: true });
  }

  /** @returns whether there are more new points */
  async #poll(): Promise<boolean> {
    const beganAt = performance.now();
    const now = instantOf(this.options.clock());
    if (microsOf(now) < this.sent.since) this.#beginAnew(now, beganAt - this.#polledAt);
    const fresh = this.sent.add(await this.#read(now));
    if (this.#ending.signal.aborted) return false;
    this.#polledAt = beganAt;
    if (fresh.length > 0) {
      this.#arrivedAt = beganAt;
      this.isStale = false;
    }
    if (fresh.length > 0 || this.#restartFrom !== null) this.#publish(fresh);
    if (beganAt - this.#spacing.at >= SPACING_EVERY_MS) void this.#measureSpacing();
    return fresh.length >= MOST_NEW;
  }

  /**
   * Starts over after the wall clock was set back by more than the allowed delay of a point. New points are then older
   * than sent points. Sent points that are now in the future are sent again when their time comes.
   *
   * @param elapsedMs the time since the last successful poll. No point stored since is dated before that poll
   */
  #beginAnew(now: string, elapsedMs: number): void {
    this.sent = new SentPoints(microsOf(now) - BigInt(Math.ceil(elapsedMs * 1000)));
    this.#restartFrom = instantOfMicros(this.sent.since);
    this.views.forget();
    this.options.log?.warn({ now }, 'The clock was set back, so streams start over');
  }

  async #read(now: string): Promise<string> {
    const { since, position } = this.sent;
    const most = position.count + MOST_NEW;
    const read = await tail(this.options.store.db, instantOfMicros(since), now, most, this.#ending.signal);
    return read.lines;
  }

  async #measureSpacing(): Promise<void> {
    const { store, clock } = this.options;
    const at = performance.now();
    this.#spacing = { ...this.#spacing, at };
    const seconds = await spacing(store, null, instantOf(clock())).catch(() => this.#spacing.seconds);
    this.#spacing = { seconds, at };
  }

  #publishStale(): void {
    const { seconds } = this.#spacing;
    if (this.isStale || seconds === null) return;
    if (performance.now() - this.#arrivedAt <= Math.max(5000 * seconds, LEAST_MISSED_MS)) return;
    this.isStale = true;
    this.#publish([]);
  }

  #publish(lines: readonly string[]): void {
    const now = performance.now();
    const frame = frameOf(this.sent.position, lines.join(''), {
      count: lines.length,
      restartFrom: this.#restartFrom,
      isStale: this.isStale,
    });
    this.#restartFrom = null;
    this.#frames.push({ at: now, frame });
    this.#bytes += frame.event.points.text.length;
    for (let [oldest] = this.#frames; oldest && oldest.frame !== frame; [oldest] = this.#frames) {
      if (oldest.at >= now - KEPT_MS && this.#bytes <= KEPT_BYTES) break;
      this.#frames.shift();
      this.#first++;
      this.#bytes -= oldest.frame.event.points.text.length;
    }
    for (const listener of this.#listeners) listener();
  }
}
