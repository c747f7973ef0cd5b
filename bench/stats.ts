// Measures queries over months of points against hand-written ones.
import { z } from 'zod';
import { AppError } from '../src/errors.ts';
import { PERIOD_SECONDS } from '../src/operations/stats/summary/contract.ts';
import type { Store } from '../src/rollups/store.ts';
import { compare, figure, type Limits, type Pair } from './compare.ts';
import { provideDataSet, runPolicies } from './data-set.ts';
import type { Benchmark, Figure, Say } from './figure.ts';
import { againstPeers } from './peers.ts';
import { latests, louds, seriesOf, summaries, windowBefore } from './query-pairs.ts';
import { asOwner, inNewDatabase, openTimescale, withService } from './server.ts';
import { rareLevel, sizes } from './sql-by-hand.ts';
import { summaryOverHttp } from './summary-over-http.ts';

const count = (standard: number) => z.coerce.number().int().positive().default(standard);
const Options = z.object({
  days: count(30),
  rate: count(10),
  chunks: count(1000),
  runs: count(7),
  url: z.string().optional(),
});
type Options = z.infer<typeof Options>;
type Measure = (name: string, limits: Limits, pair: Pair) => Promise<Figure>;

export const stats: Benchmark = {
  usage: `
  npm run bench -- stats [--days 30] [--rate 10] [--chunks 1000] [--runs 7] [--url URL] [--json FILE]

  --days, --rate   how many days of points to generate, and how many a second
  --chunks         the days of a second table, with a point an hour
  --runs           how often each query is timed; the median counts
  --url            a database with TimescaleDB, as its owner: its points are used as they are. The bench
                   migrates it and runs its policies. Without it, a server is started from the
                   PostgreSQL of this machine, and removed in the end
  --json           a file for the figures`,
  options: Object.keys(Options.shape),

  async run(values, say) {
    const { data: options, error } = Options.safeParse(values);
    if (!options) throw new AppError('BAD_REQUEST', `${z.prettifyError(error)}\n${stats.usage}`);
    const measure: Measure = (name, limits, pair) => {
      say(name);
      return compare(name, limits, options.runs, pair);
    };
    await using server = await openTimescale(options.url);
    const figures = await overMonths(server.url, options, measure, say);
    const more = await inNewDatabase(server.url, 'chunks', (url) => overChunks(url, options, measure));
    return [...figures, ...more];
  },
};

async function overMonths(url: string, options: Options, measure: Measure, say: Say): Promise<Figure[]> {
  // a given database keeps its retention
  const settings = options.url === undefined ? keepingDays(options.days) : {};
  return asOwner(url, settings, async (client) => {
    const { to, made } = await provideDataSet(client, options, say);
    return withService(url, async (store) => {
      const figures = await withRefreshedRollups(store, to, measure);
      say('summary 30d over HTTP');
      figures.push(await summaryOverHttp(url, to, options.runs));
      const [rare] = await store.db.query(rareLevel);
      const peers = { to, rare: rare?.level ?? 0, runs: options.runs };
      figures.push(...(await againstPeers(url, peers, say)));
      if (!made) return figures; // the bench does not change existing points
      // one transaction each, because a shared one would mark everything between the points as changed
      for (let n = 1; n <= 40; n++) await client.query(LATE_POINT, [to, n]);
      const month = windowBefore(to, PERIOD_SECONDS['30d']);
      figures.push(await measure('summary 30d, 40 hours changed', { ofRaw: 1 / 4 }, summaries(store, month)));
      await client.query(NO_LATE_POINTS);
      if (options.url !== undefined) await runPolicies(client, say);
      return figures;
    });
  });
}

/** Adds a late point. 40 of them change 40 hours across a month. */
const LATE_POINT = `
  insert into audio_data (time, rms_db, frequency_hz)
  values ($1::timestamptz - $2 * interval '17 hours', -49.5, 7999)`;
const NO_LATE_POINTS = 'delete from audio_data where rms_db = -49.5 and frequency_hz = 7999';

/** Measures with refreshed rollups and the older points in the columnstore. */
async function withRefreshedRollups(store: Store, to: string, measure: Measure): Promise<Figure[]> {
  const figures: Figure[] = [];
  const bars: Record<string, Limits> = {
    '30d': { atMost: 40, ofRaw: 1 / 50 },
    '7d': { atMost: 30 },
    '24h': { atMost: 30 },
  };
  for (const [period, seconds] of Object.entries(PERIOD_SECONDS).toReversed()) {
    const bar = bars[period] ?? { ofRaw: 1.1 }; // 10 % is noise
    figures.push(await measure(`summary ${period}`, bar, summaries(store, windowBefore(to, seconds))));
  }
  const month = windowBefore(to, PERIOD_SECONDS['30d']);
  figures.push(await measure('series 30d of 2h', { atMost: 100 }, seriesOf(store, month, 7200)));
  figures.push(
    await measure('series 7d of 30m', { atMost: 100 }, seriesOf(store, windowBefore(to, 604_800), 1800)),
  );
  figures.push(
    await measure('series 24h of 5m', { atMost: 100 }, seriesOf(store, windowBefore(to, 86_400), 300)),
  );

  const [rare] = await store.db.query(rareLevel);
  for (const [name, threshold, window] of [
    ['rare, 30d', rare?.level ?? 0, month],
    ['none, 30d', 0, month],
    ['none, no interval', 0, null],
    ['common, no interval', -50, null],
  ] as const)
    figures.push(await measure(`loud ${name}`, { atMost: 50 }, louds(store, threshold, window)));

  figures.push(await measure('latest 100', { atMost: 5 }, latests(store)));
  const [size] = await store.db.query(sizes);
  if (size) figures.push(figure('size of the rollups', 'MB', size.rollups, size.points, { ofRaw: 1 / 20 }));
  return figures;
}

/** A retention that keeps this many days of points. */
function keepingDays(days: number) {
  return { rawRetention: `${Math.max(35, days + 5)} days` };
}

/** Measures the latest points of a table with many chunks. */
async function overChunks(url: string, { chunks }: Options, measure: Measure): Promise<Figure[]> {
  return asOwner(url, keepingDays(chunks), async (client) => {
    await client.query(`
      insert into audio_data (time, rms_db)
      select now() - n * interval '1 hour', -20 - 10 * random() from generate_series(1, ${chunks * 24}) as n`);
    await client.query(
      `select compress_chunk(chunk) from show_chunks('audio_data', older_than => interval '3 days') as chunk`,
    );
    await client.query('analyze audio_data');
    return withService(url, async (store) => [
      await measure(`latest 100, ${chunks} chunks`, { atMost: 5 }, latests(store)),
      await measure(`latest 100, ${chunks} chunks, a year old`, { atMost: 5 }, latests(store, 365)),
    ]);
  });
}
