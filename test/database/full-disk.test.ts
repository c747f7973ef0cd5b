import { spawnSync } from 'node:child_process';
import { cpSync } from 'node:fs';
import { afterAll, expect, inject, it } from 'vitest';
import { openPglite } from '../../src/database/pglite.ts';
import { reasonOf } from '../../src/database/unreachable-reason.ts';
import { copyIn } from '../copy-in.ts';
import { statement } from '../engines.ts';
import { needs } from '../needs.ts';
import { ownFolder } from '../program.ts';

const POINTS = statement('select count(*) as n from audio_data');
const POINT = '2026-01-01T00:00:00Z,-1,440,false\n';
async function* points(pieces: number, each: number) {
  for (let n = 0; n < pieces; n++) yield POINT.repeat(each);
}

/** A disk in memory. */
const { path, remove } = ownFolder();
const mount = (...options: string[]) =>
  spawnSync('mount', [...options, path], { stdio: 'ignore' }).status === 0;
const isMounted = mount('-t', 'tmpfs', '-o', 'size=36m', 'tmpfs');
afterAll(() => {
  if (isMounted) spawnSync('umount', [path]);
  remove();
});

const title =
  'A full disk stops the embedded database, which reports it, gives no wrong answer, and keeps its points';
it(title, needs('the right to mount a disk', isMounted), async () => {
  cpSync(inject('dataFolder'), path, { recursive: true });
  const db = await openPglite({ dataDir: path });
  await copyIn(db, points(1, 1));
  const stopped = { code: 'SERVICE_UNAVAILABLE', message: 'The embedded database has stopped' };
  const filling = copyIn(db, points(200, 5000));
  // sent while the disk fills up: it waits, and a lost session must not answer it
  const pending = db.query(POINTS).catch((error) => error);
  const error = await filling.catch((thrown) => thrown);
  expect(error).toMatchObject(stopped);
  expect(reasonOf(error)).toBe(
    `the disk of ${path}/pg is full; make room or set DATA_DIR to a folder on another disk, and start again. Stored points are safe`,
  );
  expect([1, stopped.message]).toContain((await pending).message ?? (await pending)[0].n);
  await expect(db.query(POINTS)).rejects.toMatchObject(stopped);
  await expect(copyIn(db, points(1, 1))).rejects.toMatchObject(stopped);
  await expect(db.ready()).rejects.toMatchObject(stopped);
  await db.close();

  mount('-o', 'remount,size=200m');
  const again = await openPglite({ dataDir: path });
  expect(await again.query(POINTS)).toEqual([{ n: 1 }]);
  await again.close();
});
