// Finds noise events since a time, oldest first, in windows short enough for the service.
import { type AudioMetricsClient, isServiceError, type Outputs } from '../client/index.ts';
import { aheadOf, instantOfMicros, microsOf } from '../contract/instant.ts';
import { SHORTER_INTERVAL } from '../contract/parameters.ts';
import type { Levels } from '../contract/periods.ts';
import type { NotifyOptions } from './notify-options.ts';

type Page = Outputs['events']['list'];
export type FoundEvent = Page['events'][number];

export type NotifyRule = Pick<NotifyOptions, 'threshold' | 'aboveBackground' | 'hold' | 'minDuration'>;

export interface Found {
  readonly event: FoundEvent;
  readonly scale: Page['scale'];
  /** Whether the hold has passed, so that no later point can continue the event. */
  readonly isOver: boolean;
}

/** A window this short is not split further, in microseconds. */
const SHORTEST = 1_000_000n;
/** How far before the newest point late points are still expected, in microseconds. */
const LATE = 600_000_000n;

/**
 * Finds the events since a time. The first window contains everything. A refusal halves the window; an answer doubles
 * the next one. An event with too many points for any window comes in parts, marked by `truncated_start` and
 * `truncated_end`.
 *
 * @param from canonical; only events that end after it are found
 */
export function createEventSearch(
  client: AudioMetricsClient,
  { threshold, aboveBackground, hold, minDuration }: NotifyRule,
  levels: Levels,
  from: string,
  signal: AbortSignal,
) {
  let start = from;
  let length: bigint | undefined; // unbounded

  /** @param to the end; undefined for all newer events of now */
  async function eventsUntil(to: string | undefined, newest: string) {
    const found: Found[] = [];
    let cursor: string | undefined;
    do {
      const input = {
        levels,
        from: start,
        limit: 1000,
        hold_seconds: hold === 'auto' ? hold : hold / 1000,
        min_duration_seconds: minDuration / 1000,
        to: to ?? aheadOf(newest),
        ...(threshold !== undefined && { threshold }),
        ...(aboveBackground !== undefined && { above_background: aboveBackground }),
        ...(cursor !== undefined && { cursor }),
      };
      const page: Page = await client.events.list.query(input, { signal });
      const { events, hold_seconds, scale, next_cursor } = page;
      // until the hold has passed, a loud point would continue the event
      const isOver = ({ end }: FoundEvent) => Date.parse(newest) - Date.parse(end) > hold_seconds * 1000;
      found.push(...events.map((event) => ({ event, scale, isOver: isOver(event) })));
      cursor = next_cursor ?? undefined;
    } while (cursor !== undefined);
    return found.reverse();
  }

  /** The end of the next window; undefined if it reaches the newest point. */
  function windowEnd(newest: string): string | undefined {
    if (length === undefined) return undefined;
    const end = microsOf(start) + length;
    return end < microsOf(newest) ? instantOfMicros(end) : undefined;
  }

  async function* upTo(newest: string): AsyncGenerator<Found> {
    let refused: bigint | undefined; // the shortest refused window from `start`
    const advance = (to: string) => {
      start = to;
      refused = undefined;
    };
    for (;;) {
      const to = windowEnd(newest);
      const requested = to === undefined ? microsOf(newest) - microsOf(start) : length;
      try {
        const found = await eventsUntil(to, newest);
        const last = found.at(-1)?.event;
        const cut = to !== undefined && last?.truncated_end ? last : undefined;
        length = to === undefined || length === undefined ? undefined : 2n * length;
        // a window from the event's start, or a longer one, may contain the whole event
        if (cut?.start === start && length !== undefined && (refused === undefined || length < refused))
          continue;
        const isPart = cut?.start === start;
        for (const each of found) {
          if (each.event === cut && !isPart) break;
          yield each;
          advance(each.isOver ? each.event.end : each.event.start);
          if (!each.isOver) return; // an open event is the last
        }
        if (to === undefined) return;
        advance(cut && !isPart ? cut.start : to);
      } catch (error) {
        const isMixed = refusedOf(error).some(({ parameter }) => parameter === 'levels');
        if ((!isMixed && !isTooMuch(error)) || requested === undefined) throw error;
        if (requested > SHORTEST) {
          refused = requested;
          length = requested / 2n;
        } else if (!isMixed) throw error;
        else if (to === undefined)
          return; // the next search has a longer window
        else advance((await nextPeriod(start)) ?? to); // an event across two scales has no level
      }
    }
  }

  async function nextPeriod(after: string): Promise<string | undefined> {
    const { periods } = await client.service.info.query(undefined, { signal });
    return periods.findLast(({ since }) => since > after)?.since;
  }

  return {
    upTo,
    /** Where the search continues: all events that ended earlier have been found. */
    get from() {
      return start;
    },
    /** Call it if no event is open: skips all time that is too old for late points. */
    skipQuiet(newest: string): void {
      const margin = LATE + BigInt(minDuration + leastHold(hold)) * 1000n;
      if (microsOf(newest) - microsOf(start) > 2n * margin)
        start = instantOfMicros(microsOf(newest) - margin);
    },
  };
}

/** A hold in milliseconds, at least. */
export const leastHold = (hold: NotifyRule['hold']) => (hold === 'auto' ? 1000 : hold);

const refusedOf = (error: unknown) => (isServiceError(error) && error.data.errors) || [];

/** Whether a query failed because its interval has too many points or takes too long. */
const isTooMuch = (error: unknown) =>
  (isServiceError(error) && error.data.code === 'GATEWAY_TIMEOUT') ||
  refusedOf(error).some(({ detail }) => detail.includes(SHORTER_INTERVAL));
