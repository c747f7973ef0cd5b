import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { holdFolder } from '../../src/db/data-folder.ts';
import { whyClosed } from '../../src/db/embedded/stopped.ts';
import { openPglite } from '../../src/db/pglite.ts';
import { statement } from '../engines.ts';
import { LIFTOFF } from '../liftoff.ts';
import { dataFolder, temporaryFolder } from '../process.ts';
import { csvRows } from '../rows.ts';

const POINTS = statement('select count(*) as n from audio_data');

interface Elsewhere {
  kill(): Promise<unknown>;
  /** How many lines it wrote. */
  lines(): number;
}

/** Runs `body` on the folder in another process, which has written something. */
async function elsewhere(dataDir: string, body: string): Promise<Elsewhere> {
  const driver = fileURLToPath(new URL('../../src/db/pglite.ts', import.meta.url));
  const script = `const { openPglite } = await import(${JSON.stringify(driver)});
    const dataDir = ${JSON.stringify(dataDir)}; ${body}`;
  const child = spawn(process.execPath, [LIFTOFF, '--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let written = '';
  child.stdout.on('data', (text) => (written += text));
  const ended = once(child, 'close');
  const kill = () => {
    child.kill('SIGKILL');
    return ended;
  };
  onTestFinished(async () => void (await kill()));
  await once(child.stdout, 'data');
  return { kill, lines: () => written.split('\n').length - 1 };
}

describe('The embedded database on a folder', () => {
  it('makes the folder, is refused to a second user meanwhile, and keeps what is stored', async () => {
    const dataDir = join(temporaryFolder(), 'deep', 'down');
    const first = await openPglite({ dataDir });
    expect(await first.copyIn(csvRows(3))).toBe(3);
    await expect(openPglite({ dataDir })).rejects.toThrow(
      `The data folder ${dataDir} is in use by another process: stop that one, or set DATA_DIR to another folder`,
    );
    await first.close();
    const again = await openPglite({ dataDir });
    expect(await again.query(POINTS)).toEqual([{ n: 3 }]);
    await again.close();
    await again.close(); // closing twice is no fault
  });

  it('is refused while another process has it, and free when that one is killed', async () => {
    const dataDir = dataFolder();
    const { kill } = await elsewhere(
      dataDir,
      `const db = await openPglite({ dataDir });
       await db.copyIn((async function* () { yield '2026-01-01T00:00:00Z,-1,440,false\\n'; })());
       console.log('open'); setInterval(() => {}, 1000);`,
    );
    await expect(openPglite({ dataDir })).rejects.toThrow(/is in use by another process/);
    await kill();
    const db = await openPglite({ dataDir });
    expect(await db.query(POINTS)).toEqual([{ n: 1 }]);
    await db.close();
  });

  it('begins again when the first start was killed half way', async () => {
    const dataDir = temporaryFolder();
    const { kill } = await elsewhere(
      dataDir,
      `openPglite({ dataDir }).catch(() => {});
       const { existsSync } = await import('node:fs');
       const wait = setInterval(() => { if (existsSync(dataDir + '/initialising')) { clearInterval(wait); console.log('begun'); } }, 1);`,
    );
    await kill();
    expect(existsSync(join(dataDir, 'initialising'))).toBe(true);
    // what a start leaves that dies in the middle
    mkdirSync(join(dataDir, 'pg', 'base'), { recursive: true });
    writeFileSync(join(dataDir, 'pg', 'PG_VERSION'), '18\n');
    const db = await openPglite({ dataDir });
    expect(await db.query(POINTS)).toEqual([{ n: 0 }]);
    await db.close();
    expect(existsSync(join(dataDir, 'initialising'))).toBe(false);
  });

  it('is opened where a power cut left anything in its lock', async () => {
    const dataDir = dataFolder();
    for (const left of ['', '\0'.repeat(4096), 'torn'.repeat(300)]) {
      writeFileSync(join(dataDir, 'lock'), left);
      const held = holdFolder(dataDir);
      expect(() => holdFolder(dataDir)).toThrow(/is in use by another process/);
      held.release();
    }
    await (await openPglite({ dataDir })).close();
  });

  it('is refused where another major version of PostgreSQL wrote it, and left as it is', async () => {
    const dataDir = dataFolder();
    const version = join(dataDir, 'pg', 'PG_VERSION');
    expect(readFileSync(version, 'utf8')).toBe('18\n');
    writeFileSync(version, '17\n');
    await expect(openPglite({ dataDir })).rejects.toThrow(
      `The database in ${dataDir}/pg was written by PostgreSQL 17, and this version of Audio Metrics has 18. Run \`npm run backup -- FILE\` with the version that wrote it, then \`npm run restore -- FILE\` with this one and another DATA_DIR`,
    );
    writeFileSync(version, '18\n');
    await (await openPglite({ dataDir })).close();
  });

  it.each([
    ['global/pg_control', 'could not open file "global/pg_control": No such file or directory'],
    [
      'pg_wal',
      /^could not locate a valid checkpoint record at|^required WAL directory "pg_wal" does not exist/,
    ],
    ['base', 'database "postgres" does not exist. The database subdirectory "base/5" is missing'],
    ['PG_VERSION', /holds something other than a database/],
  ])('is kept and named where it cannot be opened: without %s', async (name, reason) => {
    const dataDir = dataFolder();
    const files = join(dataDir, 'pg');
    rmSync(join(files, name), { recursive: true });
    const list = () => readdirSync(files, { recursive: true, encoding: 'utf8' });
    const before = list().filter((path) => !path.endsWith('pg_internal.init')); // PostgreSQL makes it anew
    const error = await openPglite({ dataDir }).catch((thrown) => thrown);
    if (name === 'PG_VERSION') expect(error.message).toMatch(reason);
    else {
      expect(error.message).toBe(`The embedded database in ${files} cannot be opened`);
      const [because, advice] = error.cause.message.split('; ');
      expect(because).toMatch(reason);
      expect(advice).toBe(
        `it is kept as it is. Put it aside (mv ${files} ${files}.broken) and restore a backup (npm run restore), or start with an empty one`,
      );
    }
    expect(list()).toEqual(expect.arrayContaining(before));
    renameSync(files, `${files}.broken`);
    const held = holdFolder(dataDir);
    expect(held.isOld).toBe(false);
    held.release();
    if (name !== 'base') return; // a first start takes seconds, and is the same after each
    const db = await openPglite({ dataDir });
    expect(await db.query(POINTS)).toEqual([{ n: 0 }]);
    await db.close();
  });

  it('says what to do where its files may not be used, which is not to put it aside', () => {
    const folder = temporaryFolder();
    for (const reason of [
      'could not open file "global/pg_control": Permission denied',
      'could not create lock file "postmaster.pid": File exists', // of another user
    ])
      expect(whyClosed(new Error(reason), folder)).toMatchObject({
        message: `${reason}; let this user own all that is in the folder (chown -R ${process.getuid?.()} ${folder})`,
      });
    const readOnly = 'could not open file "global/pg_control": Read-only file system';
    expect(whyClosed(new Error(readOnly), folder)).toMatchObject({
      message: `${readOnly}; mount its disk so that it can be written, or set DATA_DIR to a folder elsewhere`,
    });
  });

  it('is refused at once where no folder can be', async () => {
    const file = join(temporaryFolder(), 'file');
    writeFileSync(file, '');
    const places = [file, join(file, 'data'), '/dev/null'];
    if (existsSync('/proc/self')) places.push('/proc/audio', '/proc/audio/data');
    for (const dataDir of places)
      await expect(openPglite({ dataDir })).rejects.toThrow(
        `The data folder ${dataDir} cannot be made: set DATA_DIR to one that can be written`,
      );
  });

  it('is refused where something else is', async () => {
    const dataDir = temporaryFolder();
    mkdirSync(join(dataDir, 'pg'));
    writeFileSync(join(dataDir, 'pg', 'letters.txt'), 'dear diary');
    await expect(openPglite({ dataDir })).rejects.toThrow(/holds something other than a database/);
    expect(existsSync(join(dataDir, 'pg', 'letters.txt'))).toBe(true);
    const other = temporaryFolder();
    writeFileSync(join(other, 'lock'), 'this is not SQLite'.repeat(100));
    await expect(openPglite({ dataDir: other })).rejects.toThrow(/its file `lock` is not ours/);
  });
});

/** From the dump that all tests share: a first start takes seconds. */
async function inMemory() {
  const db = await openPglite({ template: inject('pgliteTemplate') });
  onTestFinished(() => db.close());
  return db;
}

describe('The embedded database in memory', () => {
  it('stores many slices as one, and none of them when a late row is bad', async () => {
    const db = await inMemory();
    async function* bad() {
      yield* csvRows(200_000); // more than two slices
      yield 'not a point\n';
    }
    await expect(db.copyIn(bad())).rejects.toMatchObject({ code: '22007' });
    expect(await db.query(POINTS)).toEqual([{ n: 0 }]);
    expect(await db.copyIn(csvRows(100_000))).toBe(100_000);
    expect(await db.query(POINTS)).toEqual([{ n: 100_000 }]);
  });

  it('lets no query see the middle of an import', async () => {
    const db = await inMemory();
    const seen: Promise<unknown>[] = [];
    async function* asking() {
      for (let n = 0; n < 4; n++) {
        yield* csvRows(30_000); // a slice has about 95,000
        seen.push(db.query(POINTS));
        await new Promise(setImmediate);
      }
    }
    await db.copyIn(asking());
    expect(await Promise.all(seen)).toEqual(Array(4).fill([{ n: 120_000 }]));
  });

  it('is unavailable after close', async () => {
    const db = await inMemory();
    await db.close();
    await expect(db.query(POINTS)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    await expect(db.ready()).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  });
});

const { KILLS = 2 } = process.env;

it(
  `The embedded database keeps every batch that it acknowledged, killed ${KILLS} times while it stored`,
  async () => {
    const dataDir = dataFolder();
    const batch = 50;
    let stored = 0;
    for (let kills = 0; kills < Number(KILLS); kills++) {
      const { kill, lines } = await elsewhere(
        dataDir,
        `const { writeSync } = await import('node:fs');
       const db = await openPglite({ dataDir });
       const csv = '2026-01-01T00:00:00Z,-1,440,false\\n'.repeat(${batch});
       for (;;) { await db.copyIn((async function* () { yield csv; })()); writeSync(1, 'stored\\n'); }`,
      );
      await sleep(Math.random() * 300);
      await kill();
      const acknowledged = stored + lines() * batch;
      const db = await openPglite({ dataDir });
      const [points] = await db.query<{ n: number }>(POINTS);
      await db.close();
      stored = points?.n ?? 0;
      expect(lines()).toBeGreaterThan(0);
      // the last batch may be stored, and not yet acknowledged; never a part of it
      expect([acknowledged, acknowledged + batch]).toContain(stored);
    }
  },
  Number(KILLS) * 60_000,
);
