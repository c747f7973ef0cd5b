// Measures the whole product on each database: query times over a month of points, the points' size, and probe delays.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { migrate } from '../src/cli/migrate.ts';
import type { RunStatement } from '../src/database/database.ts';
import { openPglite } from '../src/database/pglite.ts';
import { runOnClient } from '../src/database/session.ts';
import { AppError } from '../src/errors.ts';
import { refreshRollups, runOn } from '../src/rollups/refresh-rollups.ts';
import { withClient } from '../test/cluster.ts';
import { startService } from './child.ts';
import { makePoints, runPolicies } from './data-set.ts';
import type { Benchmark, Figure, Say } from './figure.ts';
import { openTimescale, startServer } from './server.ts';
import { timeQueries } from './time-queries.ts';

const NAMES = ['embedded', 'postgresql', 'timescaledb'] as const;

const count = (standard: number) => z.coerce.number().int().positive().default(standard);
const Options = z.object({
  on: z.enum(NAMES).optional(),
  days: count(30),
  rate: count(1),
  runs: count(5),
});
type Options = z.infer<typeof Options>;

export const databases: Benchmark = {
  usage: `
  npm run bench -- databases [--on NAME] [--days 30] [--rate 1] [--runs 5] [--json FILE]

  --on             one of ${NAMES.join(', ')}; all of them by default
  --days, --rate   how many days of points to generate, and how many a second
  --runs           how often each query runs, each time over a new window`,
  options: Object.keys(Options.shape),

  async run(values, say) {
    const { data: options, error } = Options.safeParse(values);
    if (!options) throw new AppError('BAD_REQUEST', `${z.prettifyError(error)}\n${databases.usage}`);
    const figures: Figure[] = [];
    for (const name of options.on ? [options.on] : NAMES)
      figures.push(...(await MEASURE[name](options, say)));
    return figures;
  },
};

/** Fills a database, and queries the service on it. */
const MEASURE = { embedded, postgresql, timescaledb };

async function embedded(options: Options, say: Say): Promise<Figure[]> {
  const dataDir = mkdtempSync(join(tmpdir(), 'audio-bench-'));
  const remove = () => rmSync(dataDir, { recursive: true, force: true });
  process.once('exit', remove);
  const db = await openPglite({ dataDir });
  const size = await fill('embedded', runOn(db), options, () => refreshRollups(runOn(db), 100_000), say);
  await db.close();
  await using service = await startService('', { DATA_DIR: dataDir });
  const figures = await timeQueries(
    service,
    { ...options, title: titleOf('embedded', options), heavyMs: 150 },
    say,
  );
  return [size, ...figures];
}

async function postgresql(options: Options, say: Say): Promise<Figure[]> {
  await using server = await startServer({ shared_buffers: '1GB', max_wal_size: '8GB' });
  await migrate({ url: server.url, rawRetention: 'off' });
  const size = await withOwner(server.url, (run) =>
    fill('postgresql', run, options, () => refreshRollups(run, 100_000), say),
  );
  await using service = await startService(server.url);
  const title = titleOf('postgresql', options);
  return [
    { ...size, bar: { atMost: 90 } },
    ...(await timeQueries(service, { ...options, title, heavyMs: 200 }, say)),
  ];
}

async function timescaledb(options: Options, say: Say): Promise<Figure[]> {
  await using server = await openTimescale(undefined);
  await migrate({ url: server.url, rawRetention: `${options.days + 31} days` });
  const size = await withClient(server.url, (client) =>
    withOwner(server.url, (run) => fill('timescaledb', run, options, () => runPolicies(client, say), say)),
  );
  await using service = await startService(server.url);
  const title = titleOf('timescaledb', options);
  return [size, ...(await timeQueries(service, { ...options, title, heavyMs: 200 }, say))];
}

const titleOf = (name: string, { days, rate }: Options) => `${name}, ${days} days at ${rate}/s`;

/** @returns the bytes that a point takes, including rollups and indexes */
async function fill(
  name: string,
  run: RunStatement,
  options: Options,
  storeRollups: () => Promise<unknown>,
  say: Say,
): Promise<Figure> {
  const bytes = async () => {
    const [size] = await run<{ bytes: number }>(
      'select pg_database_size(current_database())::float8 as bytes',
      [],
    );
    return size?.bytes ?? 0;
  };
  const before = await bytes();
  await makePoints(run, options, say);
  say('storing the rollups');
  await storeRollups();
  await run('vacuum analyze', []);
  await run('checkpoint', []);
  const value = ((await bytes()) - before) / (options.days * options.rate * 86_400);
  return { work: `${titleOf(name, options)}: bytes a point`, value, unit: '' };
}

function withOwner<T>(url: string, work: (run: RunStatement) => Promise<T>): Promise<T> {
  return withClient(url, (client) => work(runOnClient(client)));
}
