// Drizzle's query builder over our connections.
import { expect, it } from 'vitest';
import { UNKNOWN } from '../../src/contract/periods.ts';
import { allExclusions } from '../../src/database/exclusions.ts';
import { inSchema } from '../../src/database/in-schema.ts';
import { allPeriods, putPeriod } from '../../src/database/periods.ts';
import { describeEachEngine, openForAll } from '../engines.ts';

const missing = new Error('There is no station');

describeEachEngine("Drizzle's query builder", (engine) => {
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

  it('throws the errors of the database, and finds no table outside its schema', async () => {
    await expect(allExclusions(inSchema(test.db, 'nowhere', () => missing))).rejects.toBe(missing);
  });
});
