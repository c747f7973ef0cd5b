// Calibration checks are stored in the database, at once or with the next check.
import { expect, it } from 'vitest';
import { InfoOutput } from '../../src/contract/service.ts';
import { call, serve } from '../in-process.ts';
import { temporaryFolder } from '../process.ts';
import { recording, tone } from '../recorder/calibrator.ts';

async function calibrate(level: number, variables: Record<string, string>): Promise<string> {
  const called = call(['record', 'calibrate', recording(tone(level)), '--level', '94'], variables);
  expect(await called.ended).toBeUndefined();
  return called.output();
}

it('A calibration without a database stays in its file until the next one, and is then stored', async () => {
  const variables = { DATA_DIR: temporaryFolder() };
  expect(await calibrate(-26, variables)).toContain(
    `The database does not have it yet: There is no database in ${variables.DATA_DIR}`,
  );
  const { address } = await serve(variables);
  expect(await calibrate(-25.7, variables)).not.toContain('The database does not have it yet');
  const info = await (await fetch(`${address}/api/v1/service/info`)).json();
  expect(InfoOutput.parse(info).calibrations).toMatchObject([
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
