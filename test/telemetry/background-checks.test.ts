import { expect, it } from 'vitest';
import { MOST_AHEAD } from '../../src/contract/station.ts';
import { AppError } from '../../src/errors.ts';
import { pointsAhead } from '../../src/operations/stats/quality/points-dated-ahead.ts';
import { refreshRollups } from '../../src/rollups/refresh-rollups.ts';
import { refreshState } from '../../src/rollups/rollup-backlog.ts';
import { startBackgroundChecks } from '../../src/telemetry/background-checks.ts';
import { describeEachLayout, openForAll } from '../engines.ts';
import { memoryDatabase } from '../recorder/run.ts';

const HOUR = 3_600_000;
const START = Date.parse('2026-05-05T12:00:00Z');

function log() {
  const lines: string[] = [];
  return { lines, warn: (_fields: object, message: string) => void lines.push(message) };
}

describeEachLayout('The background checks', (engine) => {
  const test = openForAll(() => engine.open());

  it('reports rollups that have not been refreshed for ten minutes, once an hour until a refresh', async () => {
    let now = START;
    const { lines, warn } = log();
    const { check, stop } = startBackgroundChecks(test.db, { warn }, () => now);
    const after = async (ms: number, sql?: string) => {
      if (sql) await test.sql(sql);
      now += ms;
      await check();
      return (await refreshState(test.db))?.state;
    };
    const insert = (minute: number, count = 1) => `insert into audio_data (time)
      select '2026-05-01Z'::timestamptz + (${minute} + n) * interval '1 minute' from generate_series(1, ${count}) n`;
    await refreshRollups(test.sql, 100_000);
    expect(await after(0)).toBe('current');
    expect(await after(0, insert(1))).toBe('current');
    expect(await after(0, insert(10, 61))).toBe('catching up');
    expect(lines).toEqual([]);
    const long = `update audio_data_refreshes set refreshed_at = '2000-01-01Z'`;
    expect(await after(0, long)).toBe('stalled');
    expect(await refreshState(test.db)).toEqual({
      state: 'stalled',
      minutes_waiting: 62,
      oldest_waiting: '2026-05-01T00:02:00.000000Z',
      last_refresh: '2000-01-01T00:00:00.000000Z',
    });
    const warning = expect.stringMatching(
      /^Nothing has refreshed the rollups since 2000-01-01T.*: 62 minutes .*npm run maintain/,
    );
    expect(lines).toEqual([warning]);
    await refreshRollups(test.sql, 1000);
    expect(await after(60_000)).toBe('current');

    await test.sql('alter table audio_data disable trigger audio_data_note_insert'); // changes are not recorded
    expect(await after(0)).toBe('catching up');
    expect(await refreshState(test.db)).toMatchObject({ minutes_waiting: null, oldest_waiting: null });
    expect(await after(HOUR, long)).toBe('stalled');
    expect(lines).toEqual([warning, expect.stringMatching(/^Nothing .*: all minutes wait/)]);
    const kind = engine.name === 'TimescaleDB' ? 'always' : '';
    await test.sql(
      `alter table audio_data enable ${kind} trigger audio_data_note_insert; truncate audio_data`,
    );
    expect(await after(0)).toBe('current');
    await refreshRollups(test.sql, 1000);
    stop();
  });

  it('reports points dated a minute or more ahead, once an hour', async () => {
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
    const warning =
      "2 points are dated a minute or more ahead, up to 2027-01-01T00:00:00.000000Z. Set the recorder's clock, and remove them with `npm run delete`";
    expect(lines).toEqual([warning]);
    now += HOUR;
    await refreshRollups(test.sql, 100_000);
    await checks.check();
    expect(lines).toEqual([warning, warning.replace('2 points are', '1 point is')]);
    checks.stop();

    await test.sql(
      `insert into audio_data select '2028-01-01Z', -1, 440, false from generate_series(1, 1500)`,
    );
    expect(await pointsAhead(test.db, () => '2026-05-05T12:01:00.000000Z')).toEqual({
      count: MOST_AHEAD,
      newest: '2028-01-01T00:00:00.000000Z',
    });
    // a query that waits until 2028 finds no future points
    const times = ['2026-05-05T12:01:00.000000Z', '2028-01-01T00:00:00.000001Z'];
    expect(await pointsAhead(test.db, () => times.shift() ?? '')).toEqual({ count: 0, newest: null });
  });
});

it('The background checks report a fault once, until it passes, but not a database that is away', async () => {
  let fault: Error | undefined;
  const { lines, warn } = log();
  const query = async () => {
    if (fault) throw fault;
    return [];
  };
  const db = { ...memoryDatabase(), query };
  const checks = startBackgroundChecks(db, { warn }, () => START);
  const away = new AppError('SERVICE_UNAVAILABLE', 'The database cannot be reached');
  const late = new AppError('GATEWAY_TIMEOUT', 'The query took longer than allowed');
  for (const each of [late, late, undefined, late, undefined, away]) {
    fault = each;
    await checks.check();
  }
  checks.stop();
  const warning = 'Cannot check the policies, the rollups and the points dated ahead; retrying every minute';
  expect(lines).toEqual([warning, warning]);
});
