import { expect, it } from 'vitest';
import { JUDGEMENT, parseLimits } from '../../../../src/contract/limits.ts';
import type { Database } from '../../../../src/database/database.ts';
import { limitParts } from '../../../../src/operations/stats/limits/limit-parts.ts';
import { againstLimits } from '../../../../src/operations/stats/limits/query.ts';
import { describeOnWire, openForAll } from '../../../engines.ts';
import { DBFS_SCALE } from '../../../scales.ts';

describeOnWire('levels against limits come from one statement', (engine) => {
  const test = openForAll(() => engine.open());

  it.each([
    ['whole parts', 'part', '2026-01-03T00:00:00.000000Z', '2026-01-01T00:00:00.000000Z'],
    ['their loudest hours', 'hour', '2026-01-03T00:00:00.000000Z', '2026-01-01T01:00:00.000000Z'],
    ['parts without a full hour', 'hour', '2026-01-01T00:50:00.000000Z', null],
  ] as const)('for %s', async (_, assess, to, assessed_from) => {
    await test.sql('truncate audio_data');
    await test.sql(`insert into audio_data (time, rms_db)
      select time, case when time < '2026-01-01T01:00:00Z' then -30 else -20 end
      from generate_series('2026-01-01T00:00:00Z'::timestamptz, '2026-01-01T02:00:00Z', interval '10 s') as time`);
    const interval = { from: '2026-01-01T00:00:00.000000Z', to };
    const limits = parseLimits('00-24=65') ?? [];
    const parts = limitParts(interval, 'UTC', limits, assess, 10);
    const labels: (string | undefined)[] = [];
    const query: Database['query'] = (statement, ...more) => {
      labels.push(statement.label);
      return test.db.query(statement, ...more);
    };
    const read = () =>
      againstLimits(
        { ...test, db: { ...test.db, query } },
        {
          interval,
          now: to,
          limits,
          parts,
          judgement: { ...JUDGEMENT, assess, weighting: 'A' },
          scale: DBFS_SCALE,
          calibrationOffsetDb: 95,
          counted: null,
        },
      );
    await read(); // sees which rollups are usable
    labels.length = 0;
    const { parts: found } = await read();
    expect(labels.filter((label) => label === 'statistics')).toHaveLength(1);
    expect(found[0]?.assessed_from).toBe(assessed_from);
  });
});
