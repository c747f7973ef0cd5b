import { expect, it } from 'vitest';
import { MOST_AHEAD } from '../../src/contract/quality.ts';
import { AppError } from '../../src/errors.ts';
import { pointsAhead } from '../../src/queries/points/points-dated-ahead.ts';
import { startBackgroundChecks } from '../../src/telemetry/background-checks.ts';
import { describeOnWire, openForAll } from '../engines.ts';
import { memoryDatabase } from '../recorder/run.ts';

const HOUR = 3_600_000;
const START = Date.parse('2026-05-05T12:00:00Z');

function log() {
  const lines: string[] = [];
  return { lines, warn: (_fields: object, message: string) => void lines.push(message) };
}

describeOnWire('The watch', (engine) => {
  const test = openForAll(() => engine.open());

  it('tells points dated a minute or more ahead, once an hour', async () => {
    await test.sql(`insert into audio_data values ('2026-05-05T12:00:59.999999Z', -1, 440, false)`);
    let now = START;
    const { lines, warn } = log();
    const checks = startBackgroundChecks(test.db, { warn }, () => now);
    await checks.check();
    expect(lines).toEqual([]);
    expect(checks.latest()).toMatchObject({ ahead: { count: 0, newest: null } });

    await test.sql(
      `insert into audio_data values ('2026-05-05T12:01:00Z', -1, 440, false), ('2027-01-01Z', -1, 440, false)`,
    );
    await checks.check();
    await checks.check();
    const told =
      '2 of the points are dated a minute or more ahead, up to 2027-01-01T00:00:00.000000Z: they stay first among the latest until then';
    expect(lines).toEqual([told]);
    now += HOUR;
    await checks.check();
    expect(lines).toEqual([told, told.replace('2 of', '1 of')]);
    checks.stop();

    await test.sql(
      `insert into audio_data select '2028-01-01Z', -1, 440, false from generate_series(1, 1500)`,
    );
    expect(await pointsAhead(test.db, '2026-05-05T12:01:00.000000Z')).toEqual({
      count: MOST_AHEAD,
      newest: '2028-01-01T00:00:00.000000Z',
    });
  });
});

it('The watch tells a database that is away once, until it is back', async () => {
  let isAway = true;
  const { lines, warn } = log();
  const query = async () => {
    if (isAway) throw new AppError('SERVICE_UNAVAILABLE', 'The database cannot be reached');
    return [];
  };
  const db = { ...memoryDatabase(), query };
  const checks = startBackgroundChecks(db, { warn }, () => START);
  for (const away of [true, true, false, true]) {
    isAway = away;
    await checks.check();
  }
  checks.stop();
  const told = 'The policies and the points dated ahead cannot be looked at';
  expect(lines).toEqual([told, told]);
});
