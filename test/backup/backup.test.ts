// Backups: a backup holds exactly the stored points, and restores to the same points on every database.
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { backup, backupOf } from '../../src/backup/backup-command.ts';
import { backupLines } from '../../src/backup/backup-file.ts';
import { headOf, readLines, writeLines } from '../../src/backup/backup-format.ts';
import { withoutRemoval } from '../../src/backup/history-lines.ts';
import { restore } from '../../src/backup/restore-command.ts';
import { createRestoring } from '../../src/backup/restoring.ts';
import { backupIo, restoreIo } from '../../src/cli/backups.ts';
import { CSV_TYPE } from '../../src/contract/media-types.ts';
import type { Database } from '../../src/database/database.ts';
import { openOwnerSocket } from '../../src/database/embedded/owner-socket.ts';
import { newestPeriods } from '../../src/database/periods.ts';
import { openOwned, openPglite } from '../../src/database/pglite.ts';
import { openPostgres } from '../../src/database/postgres.ts';
import { exportPoints } from '../../src/operations/export/query.ts';
import { summary } from '../../src/operations/stats/summary/query.ts';
import { removeOldPoints } from '../../src/rollups/raw-retention.ts';
import { refreshRollups, startRefreshing } from '../../src/rollups/refresh-rollups.ts';
import { createRollups } from '../../src/rollups/store.ts';
import { createDatabase, openForAll, statement } from '../engines.ts';
import { environmentOf } from '../environment.ts';
import { serve } from '../in-process.ts';
import { noRollups } from '../no-rollups.ts';
import { dataFolder, temporaryFolder } from '../process.ts';

const ALL = { from: '0001-01-01T00:00:00.000000Z', to: '9999-12-31T23:59:59.999999Z' };
/** More than two pages, with nulls, equal times, equal points and the smallest levels. */
const POINTS = `insert into audio_data
  select '2026-02-01Z'::timestamptz + (n / 3) * interval '0.123457 s',
    case when n % 17 > 0 then -(n % 500)::real / 10 - 1e-6 end, case when n % 13 > 0 then 100 + n % 700 end, n % 7 = 0
  from generate_series(1, 11000) n where n % 5000 > 20;
  insert into audio_data select '2026-02-03Z', -1e-30, 440, false from generate_series(1, 6000)`;

/** A period whose points are gone. */
const STALE_PERIOD = `insert into audio_data_periods (since, weighting) values ('2026-02-02T12:00Z', 'C')`;

function ioOf(variables: Record<string, string>) {
  const { environment, output, end } = environmentOf(variables, 'error');
  return {
    said: () => output().trimEnd().split('\n'),
    end,
    get backup() {
      return backupIo(environment, 'default', 0);
    },
    get restore() {
      return restoreIo(environment, 'default', 0);
    },
  };
}

async function csvOf(db: Database): Promise<string> {
  const pieces: string[] = [];
  for await (const { bytes } of exportPoints(db, ALL, { type: CSV_TYPE, offset_db: 0 }))
    pieces.push(`${bytes}`);
  return pieces.join('');
}

async function withFolder<Result>(
  dataDir: string,
  work: (db: Awaited<ReturnType<typeof openPglite>>) => Promise<Result>,
) {
  const db = await openPglite({ dataDir });
  try {
    return await work(db);
  } finally {
    await db.close();
  }
}

/** An empty database on a server, if this machine has one. */
async function server(key: 'postgres' | 'timescale') {
  const info = inject(key);
  if (!info) return undefined;
  const { url, drop } = await createDatabase(info, info.template);
  const db = openPostgres({ url, poolWaitMs: 20_000, queryTimeoutMs: 10_000, exportTimeoutMs: 30_000 });
  onTestFinished(async () => {
    await db.close();
    await drop();
  });
  return { url, db };
}

function isSame(compressed: Buffer, inflated: Buffer): boolean {
  try {
    return gunzipSync(compressed).equals(inflated);
  } catch {
    return false;
  }
}

/** In memory, which opens faster than a folder. */
const memory = openForAll(() => openPglite({ template: inject('pgliteTemplate') }));

/** Replaces the contents of the database in memory. */
const fill = (sql = POINTS) =>
  memory.run(
    `truncate audio_data; truncate audio_data_periods; truncate audio_data_overload; truncate audio_data_history;
    update audio_data_refreshes set raw_retention = 'off', sparse_below = 2880; ${sql}`,
  );

/** Stays open when a command closes it. */
const lasting = (db: Database): Database => ({ ...db, close: async () => {} });

/** The empty database in memory, as the target of a restore. */
async function emptied() {
  await fill('');
  return lasting(memory);
}

/** A backup of the database in memory. */
async function backedUp(folder: string) {
  const file = join(folder, 'points.backup');
  const { backup: io, said } = ioOf({ DATA_DIR: folder });
  await backup(file, false, { ...io, open: async () => lasting(memory) });
  return { file, said: said() };
}

/** The points and two periods, as CSV and as a backup. */
const whole = openForAll(async () => {
  await fill(`${POINTS}; insert into audio_data_periods (since) values ('2026-02-02Z'); insert into audio_data_periods
    values ('2026-02-01T00:00:00.000001Z', 'A', 'fast', 85.5, 120.11, 100, 'mean', 'sample', 'NL-52');
    insert into audio_data_overload values ('2026-02-01T23:59Z', 3), ('2026-02-02Z', 600), ('2026-02-02T12:00Z', 1)`);
  const folder = mkdtempSync(join(tmpdir(), 'audio-metrics-'));
  const close = async () => rmSync(folder, { recursive: true });
  const { file, said } = await backedUp(folder);
  return { csv: await csvOf(memory), periods: await newestPeriods(memory, 100), file, said, close };
});

const OVERLOAD =
  'select extract(epoch from minute)::int as minute, overloaded from audio_data_overload order by 1';

/** Asserts that a database holds all points and periods, and that its rollups match the points. */
async function expectAll(db: Database) {
  expect((await csvOf(db)) === whole.csv).toBe(true);
  expect(await newestPeriods(db, 100)).toEqual(whole.periods);
  expect(await db.query(statement(OVERLOAD), {})).toEqual(
    [
      ['2026-02-01T23:59Z', 3],
      ['2026-02-02T00:00Z', 600],
      ['2026-02-02T12:00Z', 1],
    ].map(([minute = '', overloaded]) => ({ minute: Date.parse(String(minute)) / 1000, overloaded })),
  );
  const window = { from: '2026-01-31T23:00:00.000000Z', to: '2026-02-04T00:00:00.000000Z' };
  const stored = await summary({ db, rollups: createRollups(db) }, window);
  const measured = await summary({ db, rollups: noRollups() }, window);
  expect(stored).toEqual({ ...measured, leq_db: expect.anything(), leq_low_db: expect.anything() });
  for (const key of ['leq_db', 'leq_low_db'] as const)
    expect(stored[key]).toBeCloseTo(measured[key] ?? Number.NaN, 9);
}

const HISTORY = `select bucket::text, minutes, minute_count, point_count, level_count, level_sum::text as level_sum,
  power_sum, above_power_sum, silence_count, under_range, clipped, min_db, max_db from audio_data_history order by minutes, bucket`;

it('A backup moves history from one database to the next, and a restore that was interrupted continues', async () => {
  await fill(`update audio_data_refreshes set raw_retention = '35 days', removed_until = now() - interval '35 days';
    insert into audio_data select date_trunc('day', now()) - interval '40 days' + n * interval '10 s',
      case when n < 20 then null else -n % 50 - 0.1 end, 440, n % 3 = 0 from generate_series(0, 9000) n;
    insert into audio_data select now() - n * interval '1 s', -20, 440, false from generate_series(1, 100) n`);
  await refreshRollups(memory.run, 100_000);
  await removeOldPoints(memory.run, 0);
  const history = await memory.run(HISTORY);
  expect(history).toHaveLength(1440 + 48 + 1);
  const { file, said } = await backedUp(temporaryFolder());
  expect(said.at(-1)).toBe(`Wrote 461 points to ${file}.`); // those of a day with few points stayed
  expect(gunzipSync(readFileSync(file)).toString()).toMatch(
    /^\{"format":"audio-metrics-backup","version":2,/,
  );
  const backups = { file };
  const targets = [await server('postgres'), await server('timescale')].flatMap((each) => each ?? []);
  for (const { url, db } of targets) {
    const io = ioOf({ DATABASE_URL: url });
    const { head, pieces } = await readLines('file', Readable.from([gunzipSync(readFileSync(backups.file))]));
    const { addHistory } = await createRestoring(db, 'db', head);
    for await (const { bytes, isHistory } of pieces) {
      const text = String(bytes);
      if (isHistory) await addHistory(text.slice(0, text.indexOf('\n', text.length / 2) + 1));
    }
    await restore(backups.file, io.restore);
    expect(await db.query(statement(HISTORY), {})).toEqual(history);
    await expect(restore(backups.file, io.restore)).rejects.toThrow(/already has points/);
    await withoutRemoval(db, async () => {
      const [found] = await db.query(
        statement<{ removed: number | null }>('select audio_data_remove_old(0) as removed'),
        {},
      );
      expect(found?.removed).toBeNull();
    });
    backups.file = join(temporaryFolder(), 'next.backup');
    await backup(backups.file, false, io.backup);
  }
  const io = ioOf({ DATA_DIR: dataFolder() });
  await restore(backups.file, { ...io.restore, open: emptied });
  expect(await memory.run(HISTORY)).toEqual(history);
});

describe('A backup', () => {
  it('moves every point from one database to the next, and back', async () => {
    const { csv, file, said, periods } = whole;
    expect(periods).toHaveLength(2);
    expect(csv.split('\n')).toHaveLength(16_940);
    expect(said.at(-1)).toBe(`Wrote 16,938 points to ${file}.`);
    const [head = '', ...rows] = gunzipSync(readFileSync(file)).toString().split('\n');
    expect(JSON.parse(head)).toEqual({
      format: 'audio-metrics-backup',
      version: 1,
      made_at: expect.any(String),
      raw_retention: 'off',
      history_retention: '10 years',
      columns: ['time', 'rms_db', 'frequency_hz', 'is_silence'],
      periods: periods.toReversed(),
      overload: [
        { since: '2026-02-01T23:59:00.000000Z', values: [3, 600] },
        { since: '2026-02-02T12:00:00.000000Z', values: [1] },
      ],
      exclusions: [],
      calibrations: [],
    });
    expect(rows.slice(0, -2)).toEqual(csv.split('\n').slice(1, -1));
    expect(statSync(file).mode & 0o777).toBe(0o600);

    let last = file;
    for (const target of [await server('postgres'), await server('timescale')].flatMap(
      (each) => each ?? [],
    )) {
      const io = ioOf({ DATABASE_URL: target.url });
      await target.db.query(statement(STALE_PERIOD), {});
      await restore(last, io.restore);
      expect(io.said().at(-1)).toBe('Stored 16,938 points.');
      await expectAll(target.db);
      await expect(restore(last, io.restore)).rejects.toThrow(/already has points/);
      last = join(temporaryFolder(), 'next.backup');
      await backup(last, false, io.backup);
      const lines = gunzipSync(readFileSync(last)).toString().split('\n').slice(1);
      expect(lines.slice(0, -2).join() === rows.slice(0, -2).join()).toBe(true);
      expect(JSON.parse(lines.at(-2) ?? '')).toMatchObject({ points: 16_938 });
    }
  });

  it('restores to a folder through a pipe, and backs up that folder with and without a running service', async () => {
    const dataDir = dataFolder();
    const { backup: taking, restore: restoring } = ioOf({ DATA_DIR: dataDir });
    await restore('-', { ...restoring, stdin: Readable.from([readFileSync(whole.file)]) });
    const service = await serve({ DATA_DIR: dataDir, RAW_RETENTION: 'off' });
    await expectAll(service.db);
    await expect(restore(whole.file, restoring)).rejects.toThrow(/already has points/);
    expect(statSync(join(dataDir, 'socket')).mode & 0o777).toBe(0o600);
    const file = join(temporaryFolder(), 'points.backup');
    writeFileSync(file, '');
    await expect(backup(file, false, taking)).rejects.toThrow(/already exists: .*--force/);
    for (const isServed of [true, false]) {
      await backup(file, true, taking);
      const rows = gunzipSync(readFileSync(file)).toString().split('\n').slice(1, -2);
      expect(rows.join('\n') === whole.csv.split('\n').slice(1, -1).join('\n')).toBe(true);
      if (isServed) expect((await fetch(`${service.address}/api/v1/health/ready`)).status).toBe(200);
      await service.stop();
    }
    expect(readdirSync(join(file, '..'))).toEqual(['points.backup']);
  });

  it('is a snapshot, even while points are stored and removed', async () => {
    await fill();
    const before = await csvOf(memory);
    const { pieces } = await backupOf(memory);
    const rows: Buffer[] = [];
    for await (const { bytes } of pieces) {
      rows.push(bytes);
      if (rows.length === 1 || rows.length > 8) continue; // the snapshot was taken with the first points
      await memory.run(`insert into audio_data select time, rms_db, 441, true from audio_data where random() < 0.01;
        insert into audio_data select '2026-02-03Z', -1e-30, 440, false from generate_series(1, 10)`);
      await memory.run('vacuum freeze audio_data');
      if (rows.length === 3) await memory.run(`delete from audio_data where time < '2026-02-01T00:00:01Z'`); // the backup has read these
    }
    const text = Buffer.concat(rows).toString().split('\n');
    expect(text.slice(1, -2).join('\n') === before.split('\n').slice(1, -1).join('\n')).toBe(true);
    expect(JSON.parse(text.at(-2) ?? '')).toEqual({ points: 16_938, sha256: expect.any(String) });
  });

  it.each([
    [
      'removed',
      `delete from audio_data where time = '2026-02-03Z' and ctid = (select max(ctid) from audio_data)`,
    ],
    ['changed', `update audio_data set is_silence = true where ctid = (select max(ctid) from audio_data)`],
  ])('fails if a point is %s before it is read', async (_, change) => {
    await fill();
    const taking = async () => {
      const { pieces } = await backupOf(memory);
      let read = 0;
      for await (const _ of pieces) if (++read === 2) await memory.run(change);
    };
    await expect(taking()).rejects.toThrow(/^Points were changed or removed while the backup ran \(1 of /);
  });

  it('keeps old points from expiring while it is taken', async () => {
    await fill(`update audio_data_refreshes
      set raw_retention = '31 days', removed_until = now() - interval '31 days', sparse_below = 1;
      insert into audio_data values (now() - interval '40 days', -1, 440, false)`);
    const count = async () => (await memory.run<{ n: number }>('select count(*) as n from audio_data'))[0]?.n;
    const log = { info() {}, warn: () => expect.unreachable() };
    const statements: string[] = [];
    const run: typeof memory.run = (text, values) => {
      statements.push(text);
      return memory.run(text, values);
    };
    const kept = startRefreshing({ ...memory, run }, log);
    kept.keepOld();
    // this statement follows the search for old points: whatever the search deletes is gone by then
    await expect.poll(() => statements.some((text) => text.includes('relpages'))).toBe(true);
    for (let n = 0; n < 5; n++) expect(await count()).toBe(1);
    await kept.stop();
    const free = startRefreshing(memory, log);
    free.keepOld()();
    await expect.poll(count).toBe(0);
    await free.stop();
  });

  it('fails if the service ends meanwhile', async () => {
    await fill();
    const dataDir = temporaryFolder();
    const log = { info() {}, warn: () => expect.unreachable() };
    const owner = await openOwnerSocket(dataDir, memory, log, () => () => {});
    const file = join(temporaryFolder(), 'points.backup');
    const { backup: io } = ioOf({ DATA_DIR: dataDir });
    const open = async () => {
      const db = (await openOwned(dataDir)) ?? expect.unreachable();
      let pages = 0;
      const query: Database['query'] = async (...args) => {
        if (++pages === 5) await owner.close();
        return db.query(...args);
      };
      return { ...db, query };
    };
    await expect(backup(file, false, { ...io, open })).rejects.toThrow('The embedded database has stopped');
    expect(readdirSync(join(file, '..'))).toEqual([]);
  });
});

describe('A restore', () => {
  it('reports the fault of a file before it opens the database', async () => {
    const bytes = readFileSync(whole.file);
    const lines = gunzipSync(bytes).toString().split('\n');
    const flipped = Buffer.from(bytes);
    flipped[bytes.length - 6] = (bytes[bytes.length - 6] ?? 0) ^ 4; // the bytes of gzip's own checksum
    const packed = (...text: string[]) => gzipSync(text.join('\n'));
    const newer = JSON.stringify({ ...JSON.parse(lines[0] ?? ''), version: 3 });
    const swapped = [...lines.slice(0, 5), lines[6] ?? '', lines[5] ?? '', ...lines.slice(7)];
    const bad: [Buffer, RegExp][] = [
      [Buffer.from('time,rms_db\n'), /is not an Audio Metrics backup/],
      [Buffer.of(), /is cut off|is not an Audio Metrics backup/],
      [packed('time,rms_db', '2026-01-01T00:00:00Z,1', ''), /is not an Audio Metrics backup/],
      [bytes.subarray(0, bytes.length >> 1), /is cut off/],
      [bytes.subarray(0, -1), /is cut off/],
      [packed(...lines.slice(0, -2), ''), /is cut off/],
      [packed(...lines.slice(0, 100)), /is cut off/],
      [flipped, /is damaged/],
      [packed(...swapped), /is damaged: its checksum does not match/],
      [packed(...lines, 'more', ''), /is damaged/],
      [packed(newer, ...lines.slice(1)), /was written by a newer version/],
    ];
    const { restore: io } = ioOf({});
    const open = () => expect.unreachable();
    for (const [content, message] of bad) {
      const path = join(temporaryFolder(), 'bad');
      writeFileSync(path, content);
      await expect(restore(path, { ...io, open }), `${message}`).rejects.toThrow(message);
    }
  });

  it('detects every wrong byte', async () => {
    await fill(`insert into audio_data select '2026-01-01Z', -(n % 500)::real / 10, 100 + n % 700, false
      from generate_series(1, 1000) n`);
    const bytes = readFileSync((await backedUp(temporaryFolder())).file);
    const inflated = gunzipSync(bytes);
    for (let at = 10; at < bytes.length; at += Math.ceil(bytes.length / 150)) {
      // the first ten bytes describe the compression
      const wrong = Buffer.from(bytes);
      wrong[at] = (wrong[at] ?? 0) ^ (1 << (at % 8));
      if (isSame(wrong, inflated)) continue; // padding bits of the last compressed byte
      const read = async () => {
        const lines = backupLines('file', Readable.from([wrong]), AbortSignal.any([]));
        for await (const _ of (await readLines('file', lines)).pieces);
      };
      await expect(read(), `byte ${at}`).rejects.toThrow(
        /^file (is damaged|is cut off|is not an Audio Metrics backup|was written by)/,
      );
    }
  });

  it('stores no point twice if another restore of the same file overtakes it', async () => {
    await fill('');
    const { head } = await backupOf(memory);
    const overtaken = Promise.withResolvers<void>();
    async function* csv(wait?: Promise<void>) {
      yield '2026-02-01T00:00:00.000000Z,-1,440,false\n'.repeat(50_000);
      yield '2026-02-01T00:00:01.000000Z,-1,440,false\n';
      await wait;
      yield '2026-02-01T00:00:02.000000Z,-1,440,false\n';
    }
    const [slow, fast] = [
      await createRestoring(memory, 'It', head),
      await createRestoring(memory, 'It', head),
    ];
    const slowly = expect(slow.store(csv(overtaken.promise), () => {})).rejects.toThrow(
      'It already has points',
    );
    const reported: number[] = [];
    expect(
      await fast.store(
        csv(),
        () => {},
        (points) => void reported.push(points),
      ),
    ).toBe(50_002);
    expect(reported).toEqual([50_000, 50_002]); // not what is read ahead
    await fast.end();
    overtaken.resolve();
    await slowly;
    expect(await memory.query(statement('select count(*)::int from audio_data'))).toEqual([
      { count: 50_002 },
    ]);
  });

  it('restores a file with clock corrections, without these', async () => {
    const io = ioOf({});
    const rows = '2026-02-01T00:00:00.000000Z,-7.22,440,false\n2026-02-01T00:00:01.000000Z,,,true\n';
    const corrections = [{ since: '2026-02-01T00:00:00.000000Z', values: [-1.5, 2999.999] }];
    const stdin = Readable.from([fileOf({ ...headWith([]), corrections }, rows)]);
    await restore('-', { ...io.restore, stdin, open: emptied });
    expect(io.said().at(-1)).toBe('Stored 2 points.');
  });

  it('refuses a file of an older version, and names the commit that restores it', async () => {
    const { exclusions: _, ...older } = headWith([]);
    const io = ioOf({}).restore;
    const stdin = Readable.from([fileOf(older, '')]);
    await expect(restore('-', { ...io, stdin })).rejects.toThrow(/another version.*4c91cf3bd982/);
  });

  it('stores nothing when interrupted, and releases the folder', async () => {
    const dataDir = dataFolder();
    const { restore: io, end } = ioOf({ DATA_DIR: dataDir });
    const open = async () => {
      const db = await io.open();
      end();
      return db;
    };
    await expect(restore(whole.file, { ...io, open })).rejects.toThrow(
      'Interrupted: nothing more was stored',
    );
    await withFolder(dataDir, async (db) =>
      expect(await db.run('select count(*) as n from audio_data')).toEqual([{ n: 0 }]),
    );
  });

  it.each([
    ['1 day', {}, '40 days', /^Stored 1 point\.$/],
    ['50 days', {}, 'off', /^The backup has points older than 40 days, /],
    [
      '50 days',
      { RAW_RETENTION: '45 days' },
      '45 days',
      /^Warning: RAW_RETENTION is 45 days, so older points will be removed soon/,
    ],
  ])('of points %s old with %o keeps them %s', async (age, environment, kept, message) => {
    await fill(`update audio_data_refreshes set raw_retention = '40 days';
      insert into audio_data values (now() - interval '${age}', -1, 440, false)`);
    const { file } = await backedUp(temporaryFolder());
    const isEmbedded = 'RAW_RETENTION' in environment; // only one case in a folder, because a folder is slow to open
    const target = isEmbedded ? undefined : await server('postgres');
    const dataDir = dataFolder();
    const { restore: io, said } = ioOf({
      ...(target ? { DATABASE_URL: target.url } : { DATA_DIR: dataDir }),
      ...environment,
    });
    await restore(file, io);
    expect(said()).toContainEqual(expect.stringMatching(message));
    const keeps = statement('select raw_retention from audio_data_refreshes');
    const found = await (target?.db.query(keeps) ?? withFolder(dataDir, (db) => db.query(keeps)));
    expect(found).toEqual([{ raw_retention: kept }]);
  });
});

it.each(['PGlite', 'postgres'] as const)(
  'A backup of %s leaves out times that the format cannot hold, and names them',
  async (name) => {
    const insert = `insert into audio_data select time::timestamptz, -1, null, false
    from unnest('{infinity,infinity,-infinity,10000-01-01Z,0001-01-01 BC,0001-01-01Z,9999-12-31T23:59:59.999999Z}'::text[]) time`;
    const target = name === 'PGlite' ? { db: memory } : await server(name);
    if (name === 'PGlite') await fill(insert);
    else await target?.db.query(statement(insert), {});
    if (!target) return;
    const file = join(temporaryFolder(), 'points.backup');
    const { backup: io, restore: restoring, said } = ioOf({});
    const open = async () => lasting(target.db);
    await expect(backup(file, false, { ...io, open })).rejects.toThrow(
      'Left out 5 points at -infinity, 0001-01-01 00:00:00+00 BC, 10000-01-01 00:00:00+00, infinity, …: ',
    );
    expect(said()).toEqual([`Wrote 2 points to ${file}.`]);
    await restore(file, { ...restoring, open: emptied });
    expect(said().slice(-2)).toEqual([
      expect.stringContaining('The backup left out 5 points at -infinity, '),
      'Stored 2 points.',
    ]);
  },
);

/** A backup with this head and these rows. */
function fileOf(head: object, rows: string): Buffer {
  const text = `${JSON.stringify(head)}\n${rows}`;
  const sha256 = createHash('sha256').update(text).digest('hex');
  const points = rows.split('\n').length - 1;
  return gzipSync(`${text}${JSON.stringify({ points, sha256 })}\n`);
}

const headWith = (overload: { since: string; values: number[] }[]) =>
  headOf({
    made_at: '2027-01-01T00:00:00.000000Z',
    raw_retention: null,
    periods: [],
    overload,
    exclusions: [],
    calibrations: [],
  });

it('A backup holds overload of 400,000 isolated minutes', async () => {
  const first = Date.parse('2026-01-01T00:00:00Z');
  const overload = Array.from({ length: 400_000 }, (_, n) => ({
    since: new Date(first + n * 120_000).toISOString().replace('Z', '000Z'),
    values: [600],
  }));
  async function* cut() {
    for await (const { bytes } of writeLines(headWith(overload), Readable.from([])))
      for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536);
  }
  const read = await readLines('file', cut());
  for await (const { points } of read.pieces) expect(points).toBe(0);
  expect(read.head.overload?.length).toBe(400_000);
  expect(read.head.overload?.at(-1)).toEqual(overload.at(-1));
});

it('A backup with more overload than a restore can read is refused', async () => {
  const values = Array.from({ length: 2 ** 22 }, () => 600_000_000_000_000);
  const lines = writeLines(headWith([{ since: '2026-01-01T00:00:00.000000Z', values }]), Readable.from([]));
  await expect(lines.next()).rejects.toThrow('64 MiB');
});

it('A backup without a database reports that, and creates none', async () => {
  const dataDir = join(temporaryFolder(), 'none');
  const { backup: io } = ioOf({ DATA_DIR: dataDir });
  const file = join(temporaryFolder(), 'file');
  await expect(backup(file, false, io)).rejects.toThrow(`There is no database in ${dataDir}`);
  expect([existsSync(dataDir), existsSync(file)]).toEqual([false, false]);
});

it("A backup of the demo's folder has its points, and succeeds", async () => {
  const DATA_DIR = join(temporaryFolder(), 'demo');
  const db = await openPglite({ dataDir: DATA_DIR, points: 'made up' });
  await db.run(`insert into audio_data (time, rms_db) values ('2026-02-01Z', -20)`);
  await db.close();
  const { said, backup: io } = ioOf({ DATA_DIR });
  const path = join(temporaryFolder(), 'file');
  await backup(path, false, io);
  expect(said()).toContainEqual(expect.stringMatching(/^Wrote 1 point/)); // a slow run also tells its progress
});
