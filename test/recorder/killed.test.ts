// A recorder that is killed while it writes; killed.soak.ts kills services and servers too.
import { expect, it } from 'vitest';
import { statement } from '../engines.ts';
import { serve } from '../in-process.ts';
import { dataFolder } from '../process.ts';
import { createWitness, judge, ONE_PERIOD, PERIODS, play, RECORD } from './killed.ts';

// in its own process, because the test kills it
it('A killed recorder leaves its points to the service', async () => {
  const DATA_DIR = dataFolder();
  const witness = createWitness();
  const recorder = witness.start(RECORD, { DATA_DIR });
  play(recorder);
  await expect.poll(witness.count).toBeGreaterThan(1);
  recorder.kill('SIGKILL');
  await recorder.ended;
  const { latest: newest, db } = await serve({ DATA_DIR });
  const latest = async () =>
    (await newest()).map(({ time, rms_db }) => ({ time, rms_db: rms_db ?? Number.NaN }));
  await expect
    .poll(async () => (await latest()).length)
    .toBeGreaterThanOrEqual(witness.written().certain.size);
  judge(await latest(), witness);
  expect(await db.query(statement(PERIODS))).toEqual(ONE_PERIOD);
});
