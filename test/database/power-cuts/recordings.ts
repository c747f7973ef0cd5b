// Records the file operations of the embedded database, cuts the power, and expects every acknowledged batch, once.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { instantOf } from '../../../src/contract/instant.ts';
import { openPglite, type PgliteDatabase } from '../../../src/database/pglite.ts';
import { summary } from '../../../src/operations/stats/summary/query.ts';
import { refreshRollups } from '../../../src/rollups/refresh-rollups.ts';
import { createRollups } from '../../../src/rollups/store.ts';
import { copyIn } from '../../copy-in.ts';
import { LIFTOFF } from '../../liftoff.ts';
import { comparisons } from '../../operations/comparisons.ts';
import { temporaryFolder } from '../../process.ts';
import { csvOf, POINTS_IN_BATCH, START, STEP_MS } from './batches.ts';
import { cutPower } from './disk.ts';
import { type Operation, readOperations } from './operations.ts';

/** The file operations of processes that ran one after the other in a folder, each killed at its end. */
interface Recording {
  /** The folder before the operations; its `data` holds the database. */
  readonly base: string;
  readonly folder: string;
  /** The number of batches in `base`. */
  readonly held: number;
  readonly operations: readonly Operation[];
}

/** @param runs how many batches each process stores */
export async function record(base: string, held: number, runs: readonly number[]): Promise<Recording> {
  const [folder, log] = [temporaryFolder(), join(temporaryFolder(), 'operations')];
  cpSync(base, folder, { recursive: true });
  let batch = held;
  for (const batches of runs) {
    const here = (name: string) => join(import.meta.dirname, name);
    const args = [LIFTOFF, here('workload.ts'), join(folder, 'data'), String(batch), String(batches)];
    const child = spawn(process.execPath, args, {
      env: { NODE_OPTIONS: `--import ${here('watch-files.ts')}`, WATCHED_FOLDER: folder, WATCHED_LOG: log },
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    expect(await once(child, 'close')).toEqual([null, 'SIGKILL']);
    batch += batches;
  }
  return { base, folder, held, operations: readOperations(log) };
}

/** Cuts the power at some moment, and expects the acknowledged batches. @returns what survived the cut */
export async function cutAndOpen(recording: Recording, seed: number, random: () => number, isWorst: boolean) {
  const { base, folder, held, operations } = recording;
  const pick = <Value>(values: readonly Value[]) => values[Math.floor(random() * values.length)];
  const answers = operations.flatMap((operation, at) =>
    operation.do === 'say' && operation.text === 'stored' ? [at + 1] : [],
  );
  // the worst case first: an answer has just been sent, and only synced data survives
  const after = ((isWorst || random() < 0.5) && pick(answers)) || Math.ceil(random() * operations.length);
  const [share = 0, names = 0] = isWorst ? [] : [pick([0, 0.5, 1, random()]), pick([0, 1, random()])];
  const cut = { after, share, names };
  const target = temporaryFolder();
  cutPower(operations, { base, folder, target }, { ...cut, random });
  const [left, dataDir] = [temporaryFolder(), join(target, 'data')];
  cpSync(target, left, { recursive: true });

  const texts = operations.slice(0, after).map((operation) => operation.do === 'say' && operation.text);
  const acknowledged = held + texts.filter((text) => text === 'stored').length;
  const begun = held + texts.filter((text) => text === 'begun').length;
  const about = `SEED=${seed}, ${JSON.stringify({ ...cut, of: operations.length, acknowledged, begun })}`;
  const db = await openPglite({ dataDir }).catch((cause) => {
    throw new Error(about, { cause });
  });
  try {
    const stored = await expectBatches(db, acknowledged, begun, about);
    await copyIn(db, csvOf(stored));
    await expectBatches(db, stored + 1, stored + 1, about);
    return { left, stored };
  } finally {
    await db.close();
    rmSync(target, { recursive: true });
  }
}

/** Expects whole batches, the same with and without the index, and matching rollups. @returns their number */
async function expectBatches(db: PgliteDatabase, least: number, most: number, about: string) {
  const number = `floor(extract(epoch from time - '${instantOf(START)}') * 1000 / ${STEP_MS})::int`;
  const batches = `select ${number} as batch, count(*)::int as points, count(distinct time)::int as times
    from audio_data where time > '-infinity' group by 1 order by 1`;
  await db.run('set enable_indexscan = off; set enable_bitmapscan = off; set enable_indexonlyscan = off');
  const stored = await db.run(batches);
  await db.run('reset enable_indexscan; reset enable_bitmapscan; reset enable_indexonlyscan');
  await db.run('set enable_seqscan = off');
  expect(await db.run(batches), about).toEqual(stored);
  await db.run('reset enable_seqscan');
  const whole = (_: unknown, batch: number) => ({ batch, points: POINTS_IN_BATCH, times: POINTS_IN_BATCH });
  const count = Math.min(Math.max(least, stored.length), most);
  expect(stored, about).toEqual(Array.from({ length: count }, whole));

  const store = { db, rollups: createRollups(db) };
  const { raw, expectSame } = comparisons(store);
  const end = START + (count + 1) * STEP_MS;
  for (const isRefreshed of [false, true]) {
    if (isRefreshed) await refreshRollups(db.run, 100_000);
    for (const from of [START, START + STEP_MS, START + 1_800_000, end - 3_600_000]) {
      const interval = { from: instantOf(from), to: instantOf(end) };
      expectSame(await summary(store, interval), await summary(raw(store), interval), about);
    }
  }
  return count;
}
