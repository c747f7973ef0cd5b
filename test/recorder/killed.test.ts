// Recorders and a service on one data folder that are killed while they write and store.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { LatestOutput } from '../../src/contract/audio.ts';
import { openPglite } from '../../src/db/pglite.ts';
import { statement } from '../engines.ts';
import { serve } from '../in-process.ts';
import { dataFolder, type Running, start, temporaryFolder } from '../process.ts';
import { plug } from './bad-microphone.ts';
import { ALL, createWitness, judge, ONE_PERIOD, PERIODS, RECORD, type Stored } from './killed.ts';
import { microphone, RATE } from './microphone.ts';

const segmentsOf = (dataDir: string) =>
  readdirSync(join(dataDir, 'spool')).filter((name) => name.endsWith('.csv'));

async function allIn(dataDir: string) {
  const db = await openPglite({ dataDir });
  onTestFinished(() => db.close());
  expect(await db.query(statement(PERIODS))).toEqual(ONE_PERIOD);
  return db.query<Stored>(statement(ALL));
}

/** Plays sound to a recorder, without stalls. */
function play(recorder: Running): void {
  const { unplug } = plug(recorder, 0, () => 1);
  onTestFinished(unplug);
}

// processes, for they are killed
it('Recorders that are killed before the service begins, and a service that is killed, lose nothing', async () => {
  const DATA_DIR = dataFolder();
  const witness = createWitness();
  const recorder = witness.start(RECORD, { DATA_DIR });
  play(recorder);
  await expect.poll(witness.count).toBeGreaterThan(1);
  recorder.kill('SIGKILL');
  await recorder.ended;
  const left = witness.written().certain.size;
  const next = witness.start(RECORD, { DATA_DIR });
  play(next);
  const service = start(['serve'], { DATA_DIR });
  const address = await service.address();
  const latest = async () => {
    const answer = await fetch(`${address}/api/v1/audio/latest?limit=10000`);
    return LatestOutput.parse(await answer.json()).points.length;
  };
  await expect.poll(latest).toBeGreaterThan(left + 2);
  service.kill('SIGKILL'); // while it stores
  await service.ended;
  next.kill('SIGINT');
  expect(await next.ended).toBe(0); // the recorder stores the rest itself
  expect(segmentsOf(DATA_DIR)).toEqual([]);
  judge(await allIn(DATA_DIR), witness);
});

it('A service that is killed leaves the points of its own recorder to the next start', async () => {
  const DATA_DIR = dataFolder();
  const witness = createWitness();
  const killed = witness.start(['serve', '--record', microphone(temporaryFolder()), ...RATE], { DATA_DIR });
  await expect.poll(witness.count).toBeGreaterThan(1);
  killed.kill('SIGKILL');
  await killed.ended;
  const again = await serve({ DATA_DIR });
  await expect.poll(() => segmentsOf(DATA_DIR)).toEqual([]);
  await again.stop();
  judge(await allIn(DATA_DIR), witness);
});
