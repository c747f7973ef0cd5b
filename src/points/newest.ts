// Reading the newest rows of an interval without looking at all of it.
//
// TimescaleDB plans a statement for every chunk in its interval, whatever its LIMIT: for hundreds of chunks
// that takes many times longer than to read a page. So the last day is asked first. Where it holds too few
// rows, the question is asked of the last 4 chunks before it too, then of the last 16, 64, ..., at last of
// the whole interval. Where these cuts lie decides how soon the answer is complete, never what it is.
//
// Each time one statement gives the whole answer, because one statement sees one state of the table. In an
// answer put together from several, a point that moves in between could be missing or there twice; and in a
// snapshot for all of them, what TimescaleDB has moved to its columnstore since then cannot be seen.
import { sql } from 'drizzle-orm';
import { addSeconds } from '../contract/instant.ts';
import type { Database } from '../db/database.ts';
import { compile, parameter } from '../db/statement.ts';
import { AFTER_LAST_INSTANT, FIRST_INSTANT, instantText } from '../queries/instant-text.ts';
import { rollupName } from '../timescale/rollups.ts';

const DAY_SECONDS = 86_400;

const micros = (name: string) => sql`(extract(epoch from ${parameter(name)}::timestamptz) * 1000000)::bigint`;

/** Where the chunks of audio_data start: the 4th of those in an interval, counted back, the 16th, ... */
const chunkStarts = compile(
  sql`
  select ${instantText(sql`to_timestamp(range_start / 1000000.0)`)} as time
  from (
    select range_start, row_number() over (order by range_start desc) as place
    from _timescaledb_catalog.continuous_agg
    join _timescaledb_catalog.dimension on hypertable_id = raw_hypertable_id
    join _timescaledb_catalog.dimension_slice on dimension_id = dimension.id
    where user_view_schema = current_schema() and user_view_name = ${sql.raw(`'${rollupName('total', '1d')}'`)}
      and range_start > ${micros('from')} and range_start < ${micros('to')}
  ) as starts
  where place in (4, 16, 64, 256, 1024)
  order by place
`,
  'chunk_starts',
);

/**
 * The newest rows of `[from, to)`: `wanted`, or as many as there are. A null bound means none.
 *
 * @param now the clock: where to look first
 * @param read gives the newest rows of an interval, at most `wanted`, and says how many it gives
 */
export async function readBack<Answer extends { readonly rows: number }>(
  db: Database,
  interval: { from: string | null; to: string | null },
  now: string,
  wanted: number,
  read: (interval: { from: string; to: string }) => Promise<Answer>,
): Promise<Answer> {
  const to = interval.to ?? AFTER_LAST_INSTANT;
  const end = interval.to !== null && interval.to < now ? interval.to : now;
  const first = interval.from ?? FIRST_INSTANT;
  const day = addSeconds(end, -DAY_SECONDS);
  if (day && day > first) {
    const answer = await read({ from: day, to });
    if (answer.rows >= wanted) return answer;
    for (const from of await startsBack(db, { from: first, to: day })) {
      const more = await read({ from, to });
      if (more.rows >= wanted) return more;
    }
  }
  return read({ from: first, to });
}

/** Times ever further back in an interval. */
async function startsBack(db: Database, interval: { from: string; to: string }): Promise<Iterable<string>> {
  return (await db.hasRollups()) ? chunksBack(db, interval) : daysBack(interval.from, interval.to);
}

/** By the list of chunks, where db/internals.ts has made sure of it. */
async function chunksBack(db: Database, interval: { from: string; to: string }): Promise<string[]> {
  const starts = await db.query<{ time: string }>(chunkStarts, interval);
  return starts.map(({ time }) => time);
}

/** Where there are no chunks: 4, 16, 64, ... days. */
function* daysBack(from: string, to: string): Generator<string> {
  for (let days = 4; ; days *= 4) {
    const start = addSeconds(to, -days * DAY_SECONDS);
    if (!start || start <= from) return;
    yield start;
  }
}
