// SQL and the command delete points of the columnstore by the hundred thousand, while queries are answered.
import { expect, it } from 'vitest';
import { strictly } from '../../src/cli/command-line.ts';
import { migrate } from '../../src/cli/migrate.ts';
import { summary } from '../../src/operations/stats/summary/query.ts';
import { deleteCommand } from '../../src/recorder/delete.ts';
import { refreshRollups } from '../../src/rollups/refresh-rollups.ts';
import { connect, describeServer, openForAll } from '../engines.ts';
import { noRollups } from '../no-rollups.ts';
import { createRun } from './run.ts';

describeServer('timescale', 'More points than a TimescaleDB statement changes by default', (engine) => {
  const test = openForAll(() => engine.open({ queryTimeoutMs: 60_000 }));

  it('are deleted, and answers are exact before, meanwhile and after', async () => {
    const interval = { from: '2026-01-01T00:00:00.000000Z', to: '2026-01-06T00:00:00.000000Z' };
    await test.sql(`insert into audio_data select '${interval.from}'::timestamptz + n * interval '0.5 s', -50 + n % 51
      from generate_series(0, 719999) n`);
    await test.sql(`select compress_chunk(c) from show_chunks('audio_data') c`);
    await refreshRollups(test.sql, 100_000);
    expect(await test.rollups.inUse()).toBe(true);
    async function counted() {
      const { point_count, leq_db } = await summary(test, interval);
      const byHand = await summary({ ...test, rollups: noRollups() }, interval);
      expect([point_count, leq_db]).toEqual([byHand.point_count, expect.closeTo(byHand.leq_db ?? 0, 9)]);
      return point_count;
    }
    expect(await counted()).toBe(720_000);

    await migrate({ url: test.url ?? '' });
    const session = await connect(test.url ?? '');
    await session.query('begin');
    await session.query(`delete from audio_data where time < '2026-01-02T06:00Z'`);
    expect(await counted()).toBe(720_000);
    await session.query('commit');
    await session.end();
    expect(await counted()).toBe(504_000);

    const { io } = createRun({ onto: test.db });
    const given = ['--from', '2026-01-02T12:00:00Z', '--to', '2026-01-04T12:00:00Z', '--yes'];
    const command = strictly(deleteCommand(() => io));
    let isDeleted = false;
    const deleted = command.parseAsync(given, { from: 'user' }).then(() => {
      isDeleted = true;
    });
    const steps = [504_000, 454_000, 404_000, 354_000, 304_000, 254_000, 204_000, 158_400];
    while (!isDeleted) expect(steps).toContain((await summary(test, interval)).point_count);
    await deleted;
    expect(await counted()).toBe(158_400);
    await refreshRollups(test.sql, 100_000);
    expect(await counted()).toBe(158_400);
  });
});
