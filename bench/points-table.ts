// Provides a table with 10 points a second on a plain server. The table does not change during a measurement.
import { migrate } from '../src/cli/migrate.ts';
import { withClient } from '../test/cluster.ts';
import { digits, type Say } from './figure.ts';
import { startServer } from './server.ts';

export interface Interval {
  readonly from: string;
  readonly to: string;
}

const STEP_MS = 100;
const AT_ONCE = 1_000_000;

/** Inserts the points from one number to another; `$1` is the time of the first. */
export const INSERT_POINTS = `insert into audio_data (time, rms_db, frequency_hz, is_silence)
  select $1::timestamptz + n * interval '${STEP_MS} ms',
    case when n % 1009 > 0 then -20 + 15 * sin(n / 50.0) - 3 * random() end,
    case when n % 1013 > 0 then 100 + floor(7901 * random()) end,
    n % 97 = 0
  from generate_series($2::int, $3::int - 1) as n`;

/** The interval of `points` points up to the current second. */
export function untilNow(points: number): Interval {
  const end = Math.floor(Date.now() / 1000) * 1000;
  return { from: new Date(end - points * STEP_MS).toISOString(), to: new Date(end).toISOString() };
}

/** The interval of `points` points that starts `skip` points after the start of another interval. */
export function within({ from }: Interval, skip: number, points: number): Interval {
  const start = Date.parse(from) + skip * STEP_MS;
  return { from: new Date(start).toISOString(), to: new Date(start + points * STEP_MS).toISOString() };
}

export async function startWithTable(say: Say, settings: Record<string, string> = {}) {
  say('starting PostgreSQL');
  const server = await startServer({ shared_buffers: '256MB', ...settings });
  try {
    await migrate({ url: server.url });
    return server;
  } catch (error) {
    await server[Symbol.asyncDispose]();
    throw error;
  }
}

export async function storePoints(url: string, { from, to }: Interval, say: Say): Promise<void> {
  const points = (Date.parse(to) - Date.parse(from)) / STEP_MS;
  await withClient(url, async (client) => {
    for (let done = 0; done < points; done += AT_ONCE) {
      say(`storing points: ${digits(done)} of ${digits(points)}`);
      const end = Math.min(points, done + AT_ONCE);
      await client.query(INSERT_POINTS, [from, done, end]);
    }
    await client.query('vacuum analyze audio_data');
  });
}
