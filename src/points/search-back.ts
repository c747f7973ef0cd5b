// Searches back in time for the newest rows of an interval, without looking at all of it.
//
// TimescaleDB plans a statement for every chunk of its interval, whatever its LIMIT: for hundreds of chunks that takes
// many times longer than reading a page. So the last day is read first. If it holds too few rows, the next read goes
// back as many chunks as should hold enough, and the last one over the whole interval. This affects speed alone.
//
// Each read gives the whole answer, because one statement sees one state of the table: put together from several, an
// answer could lack a point that moves in between, or hold it twice. A snapshot for all of them would miss what
// TimescaleDB has moved to its columnstore since.
import { AFTER_LAST_INSTANT, addSeconds, FIRST_INSTANT } from '../contract/instant.ts';

const DAY_SECONDS = 86_400;

/** An interval of so many days is read at once: to plan for its chunks takes less time than two statements more. */
const AT_ONCE_DAYS = 32;

/** How many times as far back each next read goes. */
const FURTHER = 2;

/**
 * The newest rows of `[from, to)`: `wanted`, or as many as there are. A null bound means none.
 *
 * @param now the clock: the first read begins a day before it
 * @param read gives the newest rows of an interval, at most `wanted`, and how many it gives
 * @param unknown how many times as far back to read after finding nothing
 */
export async function readNewest<Answer extends { readonly count: number }>(
  interval: { from: string | null; to: string | null },
  now: string,
  wanted: number,
  read: (interval: { from: string; to: string }) => Promise<Answer>,
  unknown = FURTHER,
): Promise<Answer> {
  const to = interval.to ?? AFTER_LAST_INSTANT;
  const end = interval.to !== null && interval.to < now ? interval.to : now;
  const first = interval.from ?? FIRST_INSTANT;
  const day = addSeconds(end, -DAY_SECONDS);
  const atOnce = addSeconds(end, -AT_ONCE_DAYS * DAY_SECONDS);
  if (day && atOnce && first < atOnce) {
    const answer = await read({ from: day, to });
    if (answer.count >= wanted) return answer;
    let asked = 1; // days
    const next = ({ count }: Answer) => (count > 0 ? ((asked + 1) * wanted) / count : asked * unknown);
    let needed = next(answer);
    for (const from of daysBack(first, day)) {
      asked *= FURTHER;
      if (asked < needed) continue;
      const more = await read({ from, to });
      if (more.count >= wanted) return more;
      needed = next(more);
    }
  }
  return read({ from: first, to });
}

/** 2, 4, 8, ... days. */
function* daysBack(from: string, to: string): Generator<string> {
  for (let days = FURTHER; ; days *= FURTHER) {
    const start = addSeconds(to, -days * DAY_SECONDS);
    if (!start || start <= from) return;
    yield start;
  }
}
