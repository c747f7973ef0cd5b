// Overloaded windows: counted as the sound is measured, and kept by minute as long as their points are.
import { expect, it } from 'vitest';
import { instantOf } from '../../src/contract/instant.ts';
import { csvRow } from '../../src/contract/point.ts';
import { recordedAs } from '../../src/recorder/storing/periods/recorded-as.ts';
import { removePoints, storePoints } from '../../src/recorder/storing/point-store.ts';
import { createSegmentStore } from '../../src/recorder/storing/spool/segment-store.ts';
import { createSpoolWriter } from '../../src/recorder/storing/spool/spool-writer.ts';
import { createOverloadCount, type MeasuredPoint } from '../../src/sound/measured-point.ts';
import { andOnCitus, describeEachEngine, openForAll } from '../engines.ts';
import { createRun, file, record } from './run.ts';
import { encode, sine, wav } from './sound.ts';
import { openTestSpool, points } from './spool/segments.ts';

const AS = recordedAs({
  weighting: 'Z',
  timeWeighting: undefined,
  referenceDb: undefined,
  calibrationDb: undefined,
  intervalMs: 1000,
  channel: 'mean',
  isNewPeriod: false,
});
const at = (second: number) => instantOf(1000 * second);
/** A point per second. Every `nth` window is overloaded. */
const every = (nth: number, from: number, count: number): MeasuredPoint[] =>
  points(from, count).map((point, index) => ({ ...point, isOverloaded: (from + index) % nth === 0 }));

andOnCitus(describeEachEngine)('Overloaded windows', (engine) => {
  const test = openForAll(() => engine.open());
  const empty = () =>
    test.sql('truncate audio_data; truncate audio_data_periods; truncate audio_data_overload');
  /** Keyed by the number of the minute since 1970. */
  const minutes = async () =>
    (
      await test.sql(
        'select extract(epoch from minute)::int / 60 as minute, overloaded from audio_data_overload order by 1',
      )
    ).map(({ minute, overloaded }) => [minute, overloaded]);
  const remove = (from: number, to: number, step?: number) =>
    removePoints(test.db, { first: at(from), last: at(to - 1) }, () => {}, step);

  async function store(
    some: readonly MeasuredPoint[],
    mode: 'new' | 'add' | 'replace',
    pointsAStep?: number,
  ) {
    const overload = createOverloadCount();
    async function* rows() {
      for (let from = 0; from < some.length; from += 7) {
        overload.add(some.slice(from, from + 7));
        yield some
          .slice(from, from + 7)
          .map((point) => `${csvRow(point)}\n`)
          .join('');
      }
    }
    const steps = pointsAStep === undefined ? {} : { pointsAStep };
    await storePoints(test.db, rows(), { mode, as: AS, overload, progress: () => {}, ...steps });
  }

  it('of a recorder wait in the spool with their points, and are stored with them', async () => {
    await empty();
    const spool = await openTestSpool();
    for (const [from, nth] of [
      [30, 4],
      [90, 1000],
      [100, 2],
    ] as const) {
      const writer = createSpoolWriter({
        spool,
        live: { intervalMs: 1000, mostMs: 1e9 },
        as: AS,
        report: () => {},
      });
      await writer.add(every(nth, from, 50));
      await writer.close();
      await createSegmentStore(test.db, spool, () => {}, true)();
    }
    const writer = createSpoolWriter({ spool, as: AS, report: () => {} });
    await writer.add(every(1, 130, 5));
    await writer.close();
    await createSegmentStore(test.db, spool, () => {})();
    expect(await minutes()).toEqual([
      [0, 7],
      [1, 15],
      [2, 20],
    ]);
    expect(await test.sql('select counts_overload from audio_data_periods')).toEqual([
      { counts_overload: true },
    ]);
  });

  it('of a recording are stored in its steps, each with its points, and replaced with them', async () => {
    await empty();
    await store(every(3, 10, 300), 'new', 50);
    const expected = [
      [0, 16],
      [1, 20],
      [2, 20],
      [3, 20],
      [4, 20],
      [5, 4],
    ];
    expect(await minutes()).toEqual(expected);
    await store(every(3, 10, 300), 'replace', 50);
    expect(await minutes()).toEqual(expected);
    await store(every(1, 100, 20), 'add');
    expect((await minutes())[1]).toEqual([1, 40]);
  });

  it('are removed with the last points of their minute, and shrink in proportion until then', async () => {
    await empty();
    await store(every(4, 0, 180), 'new');
    await remove(90, 150);
    expect(await minutes()).toEqual([
      [0, 15],
      [1, 8],
      [2, 8],
    ]);
    await remove(0, 89, 25);
    expect(await minutes()).toEqual([
      [1, 1],
      [2, 8],
    ]);
    await remove(0, 90);
    expect(await minutes()).toEqual([[2, 8]]);
    await remove(0, 1000);
    expect(await minutes()).toEqual([]);
  });

  it('are counted for a recording whose sound is clipped', async () => {
    await empty();
    const sound = (seconds: number) =>
      Math.max(-1, Math.min(1, sine(997, seconds % 10 < 2 ? 1.7 : 0.5)(seconds)));
    const path = file(wav(encode('s16', [sound], 8000, 8000 * 70)));
    const run = createRun({ onto: test.db });
    await record([path, '--start', at(0), '--interval', '100ms'], run.io);
    expect(run.lines.at(-1)).toBe('Clipped in 140 of 700 windows.');
    expect(await minutes()).toEqual([
      [0, 120],
      [1, 20],
    ]);
  });
});
