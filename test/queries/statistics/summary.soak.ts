// Rollups that TimescaleDB keeps, compared with many points in many windows while these change.
import { expect, it } from 'vitest';
import { connect, describeServer, openForAll } from '../../engines.ts';
import { seeded, soakSeed } from '../../seeded.ts';
import { ALL, changes, settle } from '../changing-points.ts';
import { comparisons } from '../comparisons.ts';

/** How many windows are compared while points change. */
const { SUMMARY_WINDOWS = '15' } = process.env;
const WINDOWS = Number(SUMMARY_WINDOWS);

describeServer('timescale', 'summary from rollups', (engine) => {
  const test = openForAll(() => engine.open());
  const random = seeded(soakSeed());
  const { compareAtOnce, compare } = comparisons(test, random);
  const { change } = changes(random, ALL);

  it('equals the raw points in every field while they change', async () => {
    const clients = [await connect(test.url ?? ''), await connect(test.url ?? '')] as const;
    await settle(clients[0], ALL);
    let isChanging = true;
    const others = clients.map(async (client) => {
      while (isChanging) await change(client);
    });
    const outcomes = [];
    try {
      for (let n = 0; n < WINDOWS; n++) outcomes.push(await compareAtOnce());
    } finally {
      isChanging = false;
      await Promise.all(others);
    }
    expect(outcomes.some(({ composed }) => composed)).toBe(true);
    await compare(20);
    await Promise.all(clients.map((client) => client.end()));
  });
});
