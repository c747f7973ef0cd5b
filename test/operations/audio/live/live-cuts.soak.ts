// A stream under long stress: cuts, and two services that stop and start in turn.
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { describeEachEngine } from '../../../engines.ts';
import { soakNumber } from '../../../seeded.ts';
import { cutStreams } from './cut-streams.ts';

/** How long points are written. CONTRIBUTING says how to run it longer. */
const LENGTH_MS = 1000 * soakNumber('LIVE_SECONDS', 6);
const RATE = 100;

describeEachEngine('A stream that is cut again and again', (engine) => {
  it('delivers exactly the table to every listener', {
    timeout: 120_000 + LENGTH_MS,
  }, async () => {
    const streams = await cutStreams(engine);
    const end = Date.now() + LENGTH_MS;
    let [cuts, restarts] = [0, 0];
    const disturb = async () => {
      while (Date.now() < end) {
        await sleep(LENGTH_MS / 25);
        const index = cuts % 2;
        if (cuts++ % 7 === 3) {
          restarts++;
          await streams.restart(index);
        } else streams.cut(index);
      }
    };
    const write = async () => {
      while (Date.now() < end) {
        await streams.write(RATE / 10);
        await sleep(100);
      }
    };
    await Promise.all([disturb(), write()]);
    expect([cuts > 10, restarts > 1]).toEqual([true, true]);
    await streams.expectAll();
  });
});
