// Calibration checks are stored in the database, at once or with the next check.
import { expect, it } from 'vitest';
import { called, serve } from '../in-process.ts';
import { temporaryFolder } from '../process.ts';
import { recording, tone } from '../recorder/calibrator.ts';
import { file } from '../recorder/run.ts';
import { encode, sine, wav } from '../recorder/sound.ts';

const calibrate = (level: number, variables: Record<string, string>) =>
  called(['record', 'calibrate', recording(tone(level)), '--level', '94'], variables);

it('A calibration without a database stays in its file until the next one, and is then stored', async () => {
  const variables = { DATA_DIR: temporaryFolder() };
  expect(await calibrate(-26, variables)).toContain(
    `The database does not have it yet: There is no database in ${variables.DATA_DIR}`,
  );
  const { info } = await serve(variables);
  expect(await calibrate(-25.7, variables)).not.toContain('The database does not have it yet');
  const sound = file(wav(encode('s16', [sine(1000, 0.1)], 8000, 8000)));
  const next = ['record', sound, '--start', 'now-1h', '--reference-db', '100'] as const;
  expect(await called(next, variables)).toMatch(/^Using the calibration of 20\S+ 119\.7 dB\./);
  expect((await info()).calibrations).toMatchObject([
    { offset_db: 119.7, drift_db: -0.3 },
    { offset_db: 120, drift_db: null },
  ]);
});

it('A calibration succeeds even if the database cannot be reached', async () => {
  const away = { DATA_DIR: temporaryFolder(), DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' };
  const output = await calibrate(-26, away);
  expect(output).toContain('CALIBRATION_OFFSET_DB=120.00');
  expect(output).toContain('The database does not have it yet');
});
