// The live stream with absolute levels while its database fails.
import { beforeEach, expect, it } from 'vitest';
import type { Database } from '../../../../src/database/database.ts';
import { type Frame, frameOf } from '../../../../src/operations/audio/live/frame.ts';
import { absoluteFrames } from '../../../../src/operations/audio/live/procedure.ts';
import { describeOnWire, openForAll } from '../../../engines.ts';
import { contextWith } from '../../context.ts';

/** A new frame for each test, because the service caches what it makes of a frame. */
function frameWith(level: number): Frame {
  const line = `{"time":"2026-03-01T12:00:00.000000Z","rms_db":${level},"frequency_hz":440,"is_silence":false},`;
  return frameOf({ time: 0n, count: 1, hash: 1n }, line, { count: 1, isStale: false });
}

async function* framesOf(...frames: readonly Frame[]) {
  yield* frames;
}

describeOnWire('a frame of the live stream with absolute levels', (engine) => {
  const test = openForAll(() => engine.open());
  beforeEach(async () => {
    await test.sql('truncate audio_data_periods');
    await test.sql(`insert into audio_data_periods (since, weighting, reference_db)
      values ('2026-03-01T00:00:00Z', 'A', 95.1)`);
  });

  /** A database whose first `failures` queries fail. */
  function failingOnce(failures: number) {
    const queries = { count: 0 };
    const query: Database['query'] = (...statement) =>
      ++queries.count > failures ? test.db.query(...statement) : Promise.reject(new Error('connection lost'));
    return { queries, ctx: contextWith({ db: { ...test.db, query } }) };
  }
  async function levelsOf(frames: AsyncIterable<Frame>) {
    const levels = [];
    for await (const { event } of frames) levels.push(event.points.toJSON()[0]?.rms_db);
    return levels;
  }

  it('is retried by the next listener if the database fails', async () => {
    const { queries, ctx } = failingOnce(1);
    const [first, second] = [frameWith(-7.22), frameWith(-50)];
    const listen = () => levelsOf(absoluteFrames(ctx, framesOf(first, second)));
    expect(await listen()).toEqual([]); // ends the stream, so that the listener reconnects
    expect(queries.count).toBe(1);
    expect(await listen()).toEqual([87.88, 45.1]);
    expect(queries.count).toBe(3);
  });
});
