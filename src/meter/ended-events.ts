// Noise events that have ended, oldest first, asked for in windows that the service can answer.
import { type AudioMetricsClient, isServiceError, type Outputs } from '../client/index.ts';
import { instantOfMicros, microsOf } from '../contract/instant.ts';
import type { Levels } from '../contract/periods.ts';

export type NoiseEvent = Outputs['events']['list']['events'][number];

export interface Rule {
  readonly threshold: number;
  /** What the threshold and the levels of events are. As they are stored if left out. */
  readonly levels?: Levels | undefined;
  /** The service's default if left out. */
  readonly holdSeconds?: number | undefined;
}

/** A window is asked for whole, whatever it holds, when it is this short. In microseconds. */
const SHORTEST = 1_000_000n;

/**
 * Gives the events from a time on by and by. All is asked for at once; where the service refuses that, a window of half
 * the length, and after each that it answers one of twice the length. An event of more points than a window may have
 * comes in parts, which `truncated_start` and `truncated_end` tell.
 *
 * @param from only what ends after this is given. Canonical
 */
export function createEndedEvents(
  client: AudioMetricsClient,
  { threshold, levels = 'stored', holdSeconds }: Rule,
  from: string,
) {
  let start = from;
  let length: bigint | undefined; // unbounded

  /** @param to without, whatever there is */
  async function eventsUntil(to: string | undefined, newest: string) {
    const events: NoiseEvent[] = [];
    let holdMs = 0;
    let cursor: string | undefined;
    do {
      const page = await client.events.list.query({
        threshold,
        levels,
        from: start,
        limit: 1000,
        ...(to !== undefined && { to }),
        ...(holdSeconds !== undefined && { hold_seconds: holdSeconds }),
        ...(cursor !== undefined && { cursor }),
      });
      events.push(...page.events);
      holdMs = page.hold_seconds * 1000;
      cursor = page.next_cursor ?? undefined;
    } while (cursor !== undefined);
    // until the hold is over, a loud point would continue it
    const isOver = ({ end }: NoiseEvent) => Date.parse(newest) - Date.parse(end) > holdMs;
    return { events: events.filter(isOver).reverse(), areOver: events.every(isOver) };
  }

  /** The end of the next window; undefined where it reaches the newest point. */
  function windowEnd(newest: string): string | undefined {
    if (length === undefined) return undefined;
    const end = microsOf(start) + length;
    return end < microsOf(newest) ? instantOfMicros(end) : undefined;
  }

  return async function* endedBy(newest: string): AsyncGenerator<NoiseEvent> {
    let refused: bigint | undefined; // the shortest window from `start` that was
    const advance = (to: string) => {
      start = to;
      refused = undefined;
    };
    for (;;) {
      const to = windowEnd(newest);
      const asked = to === undefined ? microsOf(newest) - microsOf(start) : length;
      try {
        const { events, areOver } = await eventsUntil(to, newest);
        const last = events.at(-1);
        const cut = to !== undefined && last?.truncated_end ? last : undefined;
        length = to === undefined || length === undefined ? undefined : 2n * length;
        // from its start it may be whole in the next window, or in a longer one
        if (cut?.start === start && length !== undefined && (refused === undefined || length < refused))
          continue;
        const isPart = cut?.start === start;
        for (const event of events) {
          if (event === cut && !isPart) break;
          yield event;
          advance(event.end);
        }
        if (to === undefined || !areOver) return;
        advance(cut && !isPart ? cut.start : to);
      } catch (error) {
        if (!isTooMuch(error) || asked === undefined) throw error;
        if (asked <= SHORTEST && to !== undefined && isMixed(error)) {
          advance(to); // an event on two scales has no figure
          continue;
        }
        if (asked <= SHORTEST) throw error;
        refused = asked;
        length = asked / 2n;
      }
    }
  };
}

/** Whether a shorter interval may be answered: too many points, too much time, or levels of two scales. */
function isTooMuch(error: unknown): boolean {
  if (!isServiceError(error)) return false;
  const { code, errors = [] } = error.data;
  return code === 'GATEWAY_TIMEOUT' || errors.some(({ detail }) => detail.includes('the interval shorter'));
}

/** Whether levels of two scales meet in an interval. */
const isMixed = (error: unknown) =>
  isServiceError(error) && (error.data.errors ?? []).some(({ parameter }) => parameter === 'levels');
