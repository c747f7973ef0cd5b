import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { holdFolder } from '../../src/database/data-folder.ts';
import { whyClosed } from '../../src/database/embedded/stopped.ts';
import { openPglite } from '../../src/database/pglite.ts';
import { publishPeriods } from '../../src/recorder/storing/periods/note-periods.ts';
import { openSpool } from '../../src/recorder/storing/spool/spool.ts';
import { copyIn } from '../copy-in.ts';
import { openForAll } from '../engines.ts';
import { dataFolder, temporaryFolder } from '../process.ts';
import { csvRows } from '../rows.ts';
import { elsewhere, POINTS } from './embedded-elsewhere.ts';

describe('The embedded database on a folder', () => {
  // in another process, because only its end frees the lock
  it('is refused while another process holds it, and keeps its stored points when that process is killed', async () => {
    const dataDir = dataFolder();
    const { kill } = await elsewhere(
      dataDir,
      `const db = await openPglite({ dataDir });
       await db.transaction(({ copy }) => copy('2026-01-01T00:00:00Z,-1,440,false\\n'));
       console.log('open'); setInterval(() => {}, 1000);`,
    );
    await expect(openPglite({ dataDir })).rejects.toThrow(/is in use by another process/);
    await kill();
    const first = await openPglite({ dataDir });
    expect(await first.query(POINTS)).toEqual([{ n: 1 }]);
    expect(await copyIn(first, csvRows(3))).toBe(3);
    await expect(openPglite({ dataDir })).rejects.toThrow(
      `The data folder ${dataDir} is in use by another process: stop that process, or set DATA_DIR to another folder`,
    );
    await first.close();
    const again = await openPglite({ dataDir });
    expect(await again.query(POINTS)).toEqual([{ n: 4 }]);
    await again.close();
    await again.close(); // closing twice is allowed
  });

  it('is created, and held whatever a power cut left in its lock', () => {
    const deep = join(temporaryFolder(), 'deep', 'down');
    holdFolder(deep).release();
    expect(existsSync(deep)).toBe(true);
    const dataDir = dataFolder();
    for (const left of ['', '\0'.repeat(4096), 'torn'.repeat(300)]) {
      writeFileSync(join(dataDir, 'lock'), left);
      const held = holdFolder(dataDir);
      expect(() => holdFolder(dataDir)).toThrow(/is in use by another process/);
      held.release();
    }
  });

  it('admits only its owner, whatever the umask, and is closed to others if it was open', async () => {
    const mask = process.umask(0);
    onTestFinished(() => void process.umask(mask));
    const dataDir = dataFolder();
    for (const path of ['', 'pg', 'pg/base', 'pg/PG_VERSION']) chmodSync(join(dataDir, path), 0o777);
    /** Files that other users have any rights on. */
    const open = () =>
      ['', ...readdirSync(dataDir, { recursive: true, encoding: 'utf8' })].filter(
        (name) => (statSync(join(dataDir, name)).mode & 0o077) !== 0,
      );
    const warnings: string[] = [];
    const log = { info() {}, warn: (_fields: object, line: string) => warnings.push(line) };
    const db = await openPglite({ dataDir, log });
    await db.run('create table more (n int); insert into more select generate_series(1, 1000)');
    const spool = await openSpool(join(dataDir, 'spool'), '');
    await spool.write(['2026-01-01T00:00:00Z,-20,,false\n']);
    await publishPeriods(spool, []);
    expect(open()).toEqual([]);
    await db.close();
    expect(open()).toEqual([]);
    expect(warnings).toEqual([`Other users could open the folder ${dataDir}: now only its owner can`]);
  });

  it('is refused and left unchanged if another major version of PostgreSQL wrote it', async () => {
    const dataDir = dataFolder();
    const version = join(dataDir, 'pg', 'PG_VERSION');
    expect(readFileSync(version, 'utf8')).toBe('18\n');
    writeFileSync(version, '17\n');
    const list = () => readdirSync(dataDir, { recursive: true, encoding: 'utf8' });
    const before = list();
    await expect(openPglite({ dataDir })).rejects.toThrow(
      /PostgreSQL 17, and this version .* has 18.*npm run backup.*npm run restore.*DATA_DIR/,
    );
    expect(list()).toEqual(expect.arrayContaining(before));
    expect(readFileSync(version, 'utf8')).toBe('17\n');
  });

  it.each([
    ['global/pg_control', 'could not open file "global/pg_control": No such file or directory'],
    [
      'pg_wal',
      /^could not locate a valid checkpoint record at|^required WAL directory "pg_wal" does not exist/,
    ],
    ['base', 'database "postgres" does not exist. The database subdirectory "base/5" is missing'],
    ['PG_VERSION', /holds something other than a database/],
  ])('is kept, and named in the error, if it cannot be opened without %s', async (name, reason) => {
    const dataDir = dataFolder();
    const files = join(dataDir, 'pg');
    rmSync(join(files, name), { recursive: true });
    const list = () => readdirSync(files, { recursive: true, encoding: 'utf8' });
    const before = list().filter((path) => !path.endsWith('pg_internal.init')); // PostgreSQL recreates it
    const error = await openPglite({ dataDir }).catch((thrown) => thrown);
    if (name === 'PG_VERSION') expect(error.message).toMatch(reason);
    else {
      expect(error.message).toBe(`The embedded database in ${files} cannot be opened`);
      const [because, advice] = error.cause.message.split('; ');
      expect(because).toMatch(reason);
      expect(advice).toBe(
        `the database is left unchanged. Move it away (mv ${files} ${files}.broken) and restore a backup (npm run restore), or start with an empty one`,
      );
    }
    expect(list()).toEqual(expect.arrayContaining(before));
    renameSync(files, `${files}.broken`);
    const held = holdFolder(dataDir);
    expect(held.isOld).toBe(false);
    held.release();
  });

  it('has a remedy other than moving it away if permissions prevent its use', () => {
    const folder = temporaryFolder();
    for (const reason of [
      'could not open file "global/pg_control": Permission denied',
      'could not create lock file "postmaster.pid": File exists', // owned by another user
    ])
      expect(whyClosed(new Error(reason), folder)).toMatchObject({
        message: `${reason}; make this user the owner of everything in the folder (chown -R ${process.getuid?.()} ${folder})`,
      });
    const readOnly = 'could not open file "global/pg_control": Read-only file system';
    expect(whyClosed(new Error(readOnly), folder)).toMatchObject({
      message: `${readOnly}; mount its disk writable, or set DATA_DIR to a folder on another disk`,
    });
  });

  it('is refused at once if no folder can be created', async () => {
    const file = join(temporaryFolder(), 'file');
    writeFileSync(file, '');
    const folders = [file, join(file, 'data'), '/dev/null'];
    if (existsSync('/proc/self')) folders.push('/proc/audio', '/proc/audio/data');
    for (const dataDir of folders)
      await expect(openPglite({ dataDir })).rejects.toThrow(
        `The data folder ${dataDir} cannot be created: set DATA_DIR to a writable folder`,
      );
  });

  it('is refused if it holds something else', async () => {
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

/** `count` rows of a thousand characters. */
async function* wideRows(count: number) {
  yield `2026-01-01T00:00:00Z,-1.5${'0'.repeat(1000)},440,false\n`.repeat(count);
}

describe('The embedded database in memory', () => {
  const db = openForAll(() => openPglite({ template: inject('pgliteTemplate') }));

  it('stores many pieces as one, and none of them if a late row is bad', async () => {
    async function* bad() {
      yield* wideRows(9000);
      yield 'not a point\n';
    }
    await expect(copyIn(db, bad())).rejects.toMatchObject({ code: '22007' });
    expect(await db.query(POINTS)).toEqual([{ n: 0 }]);
    expect(await copyIn(db, wideRows(9000))).toBe(9000);
    expect(await db.query(POINTS)).toEqual([{ n: 9000 }]);
  });

  it('hides the middle of an import from queries', async () => {
    await db.run('truncate audio_data');
    const seen: Promise<unknown>[] = [];
    async function* queriedRows() {
      for (let n = 0; n < 4; n++) {
        yield* wideRows(2000);
        seen.push(db.query(POINTS));
        await new Promise(setImmediate);
      }
    }
    await copyIn(db, queriedRows());
    expect(await Promise.all(seen)).toEqual(Array(4).fill([{ n: 8000 }]));
  });
});
