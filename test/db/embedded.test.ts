import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, openAsBlob, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, inject, it } from 'vitest';
import { openPglite } from '../../src/db/pglite.ts';
import { arrangements } from './arrangements.ts';

const { closers } = arrangements();
const POINTS = { text: 'select count(*) as n from audio_data', parameters: [] };

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'audio-metrics-data-'));
  closers.push(async () => rmSync(path, { recursive: true, force: true }));
  return path;
}

async function* rows(count: number): AsyncGenerator<string> {
  for (let n = 0; n < count; n++)
    yield `2026-01-01T00:00:00.${String(n % 1e6).padStart(6, '0')}Z,-1.5,440,false\n`;
}

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

/** Another process that runs `body` on the folder, and resolves when it first writes. */
async function elsewhere(dataDir: string, body: string): Promise<ChildProcess> {
  const driver = fileURLToPath(new URL('../../src/db/pglite.ts', import.meta.url));
  const script = `const { openPglite } = await import(${JSON.stringify(driver)});
    const dataDir = ${JSON.stringify(dataDir)}; ${body}`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  await new Promise((resolve) => child.stdout?.once('data', resolve));
  return child;
}

function ended(child: ChildProcess): Promise<unknown> {
  return new Promise((resolve) => child.once('exit', resolve));
}

describe('The embedded database on a folder', () => {
  it('makes the folder and keeps what is stored', async () => {
    const dataDir = join(folder(), 'deep', 'down');
    const first = await openPglite({ dataDir });
    expect(await first.copyIn(rows(3))).toBe(3);
    await first.close();
    const again = await openPglite({ dataDir });
    expect(await again.query(POINTS)).toEqual([{ n: 3 }]);
    await again.close();
    await again.close(); // closing twice is no fault
  });

  it('is refused to a second user in the same process, and free after close', async () => {
    const dataDir = folder();
    const first = await openPglite({ dataDir });
    await expect(openPglite({ dataDir })).rejects.toThrow(
      `The data folder ${dataDir} is in use by another process: stop that one, or set DATA_DIR to another folder`,
    );
    await first.close();
    await (await openPglite({ dataDir })).close();
  });

  it('is refused while another process has it, and free when that one is killed', async () => {
    const dataDir = folder();
    const child = await elsewhere(
      dataDir,
      `const db = await openPglite({ dataDir });
       await db.copyIn((async function* () { yield '2026-01-01T00:00:00Z,-1,440,false\\n'; })());
       console.log('open'); setInterval(() => {}, 1000);`,
    );
    await expect(openPglite({ dataDir })).rejects.toThrow(/is in use by another process/);
    const gone = ended(child);
    child.kill('SIGKILL');
    await gone;
    const db = await openPglite({ dataDir });
    expect(await db.query(POINTS)).toEqual([{ n: 1 }]);
    await db.close();
  });

  it('begins again when the first start was killed half way', async () => {
    const dataDir = folder();
    const child = await elsewhere(
      dataDir,
      `openPglite({ dataDir }).catch(() => {});
       const { existsSync } = await import('node:fs');
       const wait = setInterval(() => { if (existsSync(dataDir + '/initialising')) { clearInterval(wait); console.log('begun'); } }, 1);`,
    );
    const gone = ended(child);
    child.kill('SIGKILL');
    await gone;
    expect(existsSync(join(dataDir, 'initialising'))).toBe(true);
    // what a start leaves that dies in the middle
    mkdirSync(join(dataDir, 'pg', 'base'), { recursive: true });
    writeFileSync(join(dataDir, 'pg', 'PG_VERSION'), '18\n');
    const db = await openPglite({ dataDir });
    expect(await db.query(POINTS)).toEqual([{ n: 0 }]);
    await db.close();
    expect(existsSync(join(dataDir, 'initialising'))).toBe(false);
  });

  it('is refused at once where no folder can be', async () => {
    const file = join(folder(), 'file');
    writeFileSync(file, '');
    const places = [file, join(file, 'data'), '/dev/null'];
    if (existsSync('/proc/self')) places.push('/proc/audio', '/proc/audio/data');
    for (const dataDir of places)
      await expect(openPglite({ dataDir })).rejects.toThrow(
        `The data folder ${dataDir} cannot be made: set DATA_DIR to one that can be written`,
      );
  });

  it('is refused where something else is', async () => {
    const dataDir = folder();
    mkdirSync(join(dataDir, 'pg'));
    writeFileSync(join(dataDir, 'pg', 'letters.txt'), 'dear diary');
    await expect(openPglite({ dataDir })).rejects.toThrow(/holds something other than a database/);
    expect(existsSync(join(dataDir, 'pg', 'letters.txt'))).toBe(true);
    const other = folder();
    writeFileSync(join(other, 'lock'), 'this is not SQLite'.repeat(100));
    await expect(openPglite({ dataDir: other })).rejects.toThrow(/its file `lock` is not ours/);
  });
});

/** From the dump that all tests share: a first start takes seconds. */
async function inMemory() {
  return await openPglite({ template: await openAsBlob(inject('pgliteTemplate')) });
}

describe('The embedded database in memory', () => {
  it('stores many slices as one, and none of them when a late row is bad', async () => {
    const db = await inMemory();
    closers.push(() => db.close());
    async function* bad() {
      yield* rows(200_000); // more than two slices
      yield 'not a point\n';
    }
    await expect(db.copyIn(bad())).rejects.toMatchObject({ code: '22007' });
    expect(await db.query(POINTS)).toEqual([{ n: 0 }]);
    expect(await db.copyIn(rows(200_000))).toBe(200_000);
    expect(await db.query(POINTS)).toEqual([{ n: 200_000 }]);
  });

  it('lets no query see the middle of an import', async () => {
    const db = await inMemory();
    closers.push(() => db.close());
    const seen: Promise<unknown>[] = [];
    async function* asking() {
      for (let n = 0; n < 4; n++) {
        yield* rows(60_000);
        seen.push(db.query(POINTS));
        await new Promise(setImmediate);
      }
    }
    await db.copyIn(asking());
    expect(await Promise.all(seen)).toEqual(Array(4).fill([{ n: 240_000 }]));
  });

  it('is unavailable after close', async () => {
    const db = await inMemory();
    await db.close();
    await expect(db.query(POINTS)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    await expect(db.ready()).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  });
});
