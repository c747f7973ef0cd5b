// A subscription stores what another database publishes, while no service runs. Statistics must match the points.
import { expect, inject, it } from 'vitest';
import { refreshRollups } from '../../src/rollups/refresh-rollups.ts';
import { startCluster } from '../cluster.ts';
import { connect, describeServer, openForAll } from '../engines.ts';
import { changes, DENSE_DAYS, FEW, pointsIn } from '../operations/changing-points.ts';
import { comparisons } from '../operations/comparisons.ts';
import { seeded, soakSeed } from '../seeded.ts';

describeServer('postgres', 'Points of a subscription', (engine) => {
  const test = openForAll(() => engine.open());
  const publisher = openForAll(async () => {
    const cluster = await startCluster(inject('postgresBin') ?? '', { wal_level: 'logical' });
    const client = await connect(cluster.url);
    return { cluster, client, close: () => client.end().then(() => cluster.stop()) };
  });

  /** Waits until everything published so far has arrived. */
  async function caughtUp() {
    const { client } = publisher;
    const { rows } = await client.query('select pg_current_wal_insert_lsn() as written');
    const applied = async () =>
      (await client.query('select replay_lsn >= $1 as it from pg_stat_replication', [rows[0].written])).rows;
    await expect.poll(applied, { timeout: 60_000 }).toEqual([{ it: true }]);
  }
  const stored = async (sql: typeof test.sql) =>
    sql(`select count(*)::int as count, sum(hashtextextended(audio_data::text, 0)) as hash from audio_data`);

  it('count, whether copied, inserted, updated, deleted or truncated', { timeout: 300_000 }, async () => {
    const chance = seeded(soakSeed());
    const { client, cluster } = publisher;
    await client.query(`create table audio_data (time timestamptz not null, rms_db real, frequency_hz int,
        is_silence boolean not null default false);
      alter table audio_data replica identity full; create publication points for table audio_data;
      ${pointsIn(FEW)}`);
    await test.sql(DENSE_DAYS);
    await test.sql(`create subscription points connection '${cluster.url}' publication points`);
    const { compare } = comparisons(test, chance);
    const { plainChange, plainKinds } = changes(chance, FEW);
    const publish = async (...statements: string[]) => {
      for (const text of statements) await client.query(text);
      await caughtUp();
      expect(await stored(test.sql)).toEqual(await stored(async (text) => (await client.query(text)).rows));
      expect(await test.rollups.inUse()).toBe(true);
      await compare(6); // recorded changes
      await refreshRollups(test.sql, 100_000);
      await compare(6); // counted points
    };
    const copied = `select bool_and(srsubstate = 'r') as it from pg_subscription_rel`;
    await expect.poll(() => test.sql(copied), { timeout: 60_000 }).toEqual([{ it: true }]);
    await publish();
    for (let round = 0; round < 5; round++)
      await publish(...Array.from({ length: plainKinds }, () => plainChange()));
    await publish('truncate audio_data', plainChange());
    await test.sql('drop subscription points');
  });
});
