// Drizzle's query builder over our connections.
import { expect, it } from 'vitest';
import { instantOf } from '../../src/contract/instant.ts';
import { UNKNOWN } from '../../src/contract/periods.ts';
import type { KeptMeasurement } from '../../src/contract/station.ts';
import { addChecks, allChecks } from '../../src/database/calibrations.ts';
import { compileWithValues, parameter, sql } from '../../src/database/drizzle.ts';
import { allExclusions, replaceExclusions } from '../../src/database/exclusions.ts';
import { inSchema } from '../../src/database/in-schema.ts';
import { allPeriods, putPeriod } from '../../src/database/periods.ts';
import { readSettings, setStation } from '../../src/database/station-schemas.ts';
import { describeEachDriver, openForAll } from '../engines.ts';

const missing = new Error('There is no station');

it('passes plain values and null, and refuses others', () => {
  const { values } = compileWithValues(sql`${'a'} ${1.5} ${2n} ${true} ${null}`);
  expect(Object.values(values)).toEqual(['a', '1.5', '2', 'true', null]);
  for (const other of [parameter('a'), new Date()])
    expect(() => compileWithValues(sql`${other}`)).toThrow(TypeError);
});

describeEachDriver("Drizzle's query builder", (engine) => {
  const test = openForAll(() => engine.open());

  it.each(['2026-01-01T00:00:00.123456Z', '2026-03-29T01:00:00.000000Z', '0999-12-31T23:59:59.000001Z'])(
    'keeps the microseconds of %s, in and outside a transaction',
    async (since) => {
      const period = { ...UNKNOWN, since, reference_db: 93.7, weighting: 'A' as const };
      const inside = await test.db.transaction(async (transaction) => {
        await putPeriod(transaction, period);
        await putPeriod(transaction, period);
        return allPeriods(transaction);
      });
      expect(inside).toContainEqual(period);
      expect(await allPeriods(test.db)).toEqual(inside);
    },
  );

  it('stores more rows than one statement takes', async () => {
    const at = (n: number) => instantOf(Date.UTC(2026, 0, 1) + n * 1000);
    const rows = Array.from({ length: 14_000 }, (_, n) => n);
    const kept = rows.map((n) => ({
      from: at(n),
      to: at(n + 1),
      reason: `rain ${n}`,
      by: null,
      made_at: at(0),
    }));
    const checks = rows.map((n) => ({
      time: at(n),
      level_db: 94,
      frequency_hz: 1000,
      offset_db: 120.5,
      channel: 'mix',
    }));
    await test.db.transaction(async (transaction) => {
      await replaceExclusions(transaction, kept);
      await addChecks(transaction, checks);
      await addChecks(transaction, checks);
    });
    expect((await allExclusions(test.db)).map(({ id: _, ...exclusion }) => exclusion)).toEqual(kept);
    expect(await allChecks(test.db)).toEqual(checks);
    await test.db.transaction((transaction) => replaceExclusions(transaction, []));
    expect(await allExclusions(test.db)).toEqual([]);
  });

  it('changes, keeps and clears fields of the measurement record', async () => {
    const after = async (measurement: KeptMeasurement | null | undefined) => {
      await setStation(test.db, { measurement });
      return (await readSettings(test.db))?.measurement;
    };
    await test.sql('delete from audio_data_station');
    expect(await after({ operator: null })).toBe(null);
    expect(await after({ operator: 'Ms Day', height_m: 4 })).toEqual({ operator: 'Ms Day', height_m: 4 });
    expect(await after({ operator: null, windscreen: 'foam' })).toEqual({ height_m: 4, windscreen: 'foam' });
    expect(await after(undefined)).toEqual({ height_m: 4, windscreen: 'foam' });
    expect(await after(null)).toBe(null);
    await test.sql('delete from audio_data_station');
    expect(await after({ operator: null, height_m: 4 })).toEqual({ height_m: 4 });
  });

  it('throws the errors of the database, and finds no table outside its schema', async () => {
    await expect(allExclusions(inSchema(test.db, 'nowhere', () => missing))).rejects.toBe(missing);
  });
});
