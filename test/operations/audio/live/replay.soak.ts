// The memory of long replays.
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it, onTestFinished } from 'vitest';
import { Live } from '../../../../src/operations/audio/live/live.ts';
import { describeServer, openForAll } from '../../../engines.ts';

const POLL_MS = 20;

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

async function used() {
  for (let times = 0; times < 3; times++) {
    collectGarbage();
    await sleep(2 * POLL_MS); // buffers are freed in a later iteration, and a poll drops the points that it read
  }
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

describeServer('postgres', 'A replay', (engine) => {
  const database = openForAll(() => engine.open());

  /** Stores points, one every `seconds`, the last a second ago. */
  const store = (count: number, seconds: number) =>
    database.sql(`truncate audio_data; insert into audio_data (time, rms_db, frequency_hz)
      select now() - interval '1 s' - n * ${seconds} * interval '1 s', -(n % 50), 100 + n % 7000
      from generate_series(0, ${count - 1}) n`);

  function service() {
    const live = new Live({ store: database, clock: Date.now, pollMs: POLL_MS });
    onTestFinished(() => live.stop());
    return (age: number, { signal }: AbortController) => {
      const [from = '', now = ''] = [age, 0].map((seconds) =>
        new Date(Date.now() - seconds * 1000).toISOString().replace('Z', '000Z'),
      );
      return live.open({ from, now }, signal);
    };
  }

  it('holds little more than the bytes of its points', async () => {
    await store(99_000, 0.03);
    const go = service();
    const [watching, reading] = [new AbortController(), new AbortController()];
    await go(0, watching);
    const before = await used();
    const readers = [];
    for (let n = 0; n < 10; n++) readers.push(await go(3500 - n, reading));
    const each = ((await used()) - before) / readers.length;
    expect(each).toBeGreaterThan(99_000 * 80);
    expect(each).toBeLessThan(99_000 * 120); // a line, and its place in the index
    reading.abort();
    expect((await used()) - before).toBeLessThan(each / 2);
    watching.abort();
  });
});
