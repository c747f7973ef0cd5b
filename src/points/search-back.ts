// Searches back in time for the newest rows of an interval, without reading all of it.
//
// TimescaleDB plans a statement for every chunk of its interval, whatever its LIMIT: for hundreds of chunks that takes
// many times longer than reading a page. So the first read covers the last day. If it finds too few rows, the next read
// goes back as many chunks as should hold enough, and the last one covers the whole interval. This affects only speed.
//
// Each read returns the whole answer, because one statement sees one state of the table. Pieces from several statements
// could lack a point that moves meanwhile, or hold it twice. A shared snapshot would miss rows that TimescaleDB has
// moved to its columnstore since.
import {
  AFTER_LAST_INSTANT,
  addSeconds,
  FIRST_INSTANT,
  type Interval,
  type OpenInterval,
} from '../contract/instant.ts';

import { earlier } from '../contract/ranges.ts';

const DAY_SECONDS = 86_400;

/** An interval of this many days is read at once: planning for its chunks is faster than two more statements. */
const AT_ONCE_DAYS = 32;

/** The second read goes this many times as far back, the third four times, the fourth eight times as the one before it. */
const FURTHER = 2;

/**
 * The newest rows of `[from, to)`: `wanted` of them, or as many as there are. A null bound means no bound.
 *
 * @param now the time of the request: the first read begins a day before it
 * @param read returns the newest rows of an interval, at most `wanted`, with their number
 * @param unknown how many times further back the next read goes after an empty one
 */
export async function readNewest<Answer extends { readonly count: number }>(
  interval: OpenInterval,
  now: string,
  wanted: number,
  read: (interval: Interval) => Promise<Answer>,
  unknown = FURTHER,
): Promise<Answer> {
  const to = interval.to ?? AFTER_LAST_INSTANT;
  const end = earlier(interval.to ?? now, now);
  const first = interval.from ?? FIRST_INSTANT;
  const atOnce = addSeconds(end, -AT_ONCE_DAYS * DAY_SECONDS);
  let days = 1;
  for (let further = FURTHER; atOnce && first < atOnce; further *= FURTHER) {
    const from = addSeconds(end, -days * DAY_SECONDS);
    if (!from || from <= first) break;
    const answer = await read({ from, to });
    if (answer.count >= wanted) return answer;
    const estimate = answer.count > 0 ? ((days + 1) * wanted) / answer.count : days * unknown;
    days = Math.ceil(Math.max(days * further, estimate));
  }
  return read({ from: first, to });
}
