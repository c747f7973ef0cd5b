// Corrections of the clock: the largest of each minute is kept as long as the minute has points.
import { Readable } from 'node:stream';
import { beforeEach, expect, it } from 'vitest';
import { instantOf } from '../../src/contract/instant.ts';
import { csvRow } from '../../src/contract/point.ts';
import { recordedAs } from '../../src/recorder/storing/periods/recorded-as.ts';
import { removePoints, storePoints } from '../../src/recorder/storing/point-store.ts';
import { createSegmentStore } from '../../src/recorder/storing/spool/segment-store.ts';
import { createSpoolWriter } from '../../src/recorder/storing/spool/spool-writer.ts';
import { describeEachEngine, openForAll } from '../engines.ts';
import { createRun, file, record } from './run.ts';
import { encode, sine, wav } from './sound.ts';
import { openTestSpool, points } from './spool/segments.ts';

const AS = recordedAs(
  {
    weighting: 'Z',
    timeWeighting: undefined,
    referenceDb: undefined,
    calibrationDb: undefined,
    intervalMs: 1000,
    channel: 'mean',
    isNewPeriod: false,
  },
  'machine',
);
const at = (second: number) => instantOf(1000 * second);

describeEachEngine('Corrections of the clock', (engine) => {
  const test = openForAll(() => engine.open());
  beforeEach(() => test.sql('truncate audio_data; truncate audio_data_periods; truncate audio_data_clock'));
  /** Keyed by the number of the minute since 1970. */
  const corrections = async () =>
    (
      await test.sql(
        'select extract(epoch from minute)::int / 60 as minute, correction_ms as ms from audio_data_clock order by 1',
      )
    ).map(({ minute, ms }) => [minute, ms]);
  const clocks = () => test.sql('select clock from audio_data_periods order by since');
  const remove = (from: number, to: number) =>
    removePoints(test.db, { first: at(from), last: at(to - 1) }, () => {});

  /** Stores a point per second. @param moved the corrections, by second */
  async function store(from: number, count: number, moved: Readonly<Record<number, number>>) {
    const spool = await openTestSpool();
    const live = { intervalMs: 1000, mostMs: 1e9 };
    const writer = createSpoolWriter({ spool, live, as: AS, report: () => {} });
    await writer.add(
      points(from, count).map((point, index) => {
        const correctionMs = moved[from + index];
        return correctionMs === undefined ? point : { ...point, correctionMs };
      }),
    );
    await writer.close();
    await createSegmentStore(test.db, spool, () => {}, true)();
  }

  it('wait in the spool with their points, and the largest of each minute is stored', async () => {
    await store(30, 100, { 31: 1.5, 40: -20.25, 50: 20, 60: 3, 119: 2 });
    expect(await corrections()).toEqual([
      [0, -20.25],
      [1, 3],
    ]);
    await store(59, 10, { 59: 20.5, 61: -2.5 });
    expect(await corrections()).toEqual([
      [0, 20.5],
      [1, 3],
    ]);
    expect(await clocks()).toEqual([{ clock: 'machine' }]);
  });

  it('are removed with the last points of their minute, even if these are replaced', async () => {
    await store(0, 300, { 10: 1, 70: 2, 130: 3, 190: 4, 250: 5 });
    await remove(90, 240);
    expect(await corrections()).toEqual([
      [0, 1],
      [1, 2],
      [4, 5],
    ]);
    await remove(60, 90);
    expect(await corrections()).toEqual([
      [0, 1],
      [4, 5],
    ]);
    async function* rows() {
      yield points(0, 60)
        .map((point) => `${csvRow(point)}\n`)
        .join('');
    }
    await storePoints(test.db, rows(), { mode: 'replace', as: AS, progress: () => {} });
    expect(await corrections()).toEqual([[4, 5]]);
    await remove(0, 1000);
    expect(await corrections()).toEqual([]);
  });

  const io = (run: ReturnType<typeof createRun>) => ({
    ...run.io,
    openDatabase: async () => ({ ...test.db, close: async () => {} }),
  });
  const sound = (seconds: number) => encode('s16', [sine(997, 0.5)], 8000, 8000 * seconds);

  it('are stored for a stream that lost samples', async () => {
    const pieces = Array.from({ length: 200 }, () => sound(0.1));
    const run = createRun({ stdin: Readable.from(pieces) });
    let read = 0;
    /** Advances as pieces arrive. Three seconds of sound are lost after five. */
    const clock = () => {
      read += 1;
      return 60_000 + 100 * read + (read > 50 ? 3000 : 0);
    };
    await record(['-', '--rate', '8000', '--format', 's16le'], { ...io(run), clock });
    expect(await corrections()).toEqual([[1, expect.closeTo(3000, 2)]]);
    expect(await clocks()).toEqual([{ clock: 'machine' }]);
  });

  it('do not exist for recordings; their periods give the source of the start', async () => {
    const path = file(wav(sound(1)), 'rec_19700101_000000.wav');
    await record([path, '--name-time', 'rec_YYYYMMDD_HHmmss', '--zone', 'UTC'], io(createRun()));
    expect(await clocks()).toEqual([{ clock: 'name' }]);
    const stdin = Readable.from([sound(1)]);
    const stream = ['-', '--rate', '8000', '--format', 's16le', '--start', at(10)];
    await record(stream, io(createRun({ stdin })));
    await record([path, '--start', at(20)], io(createRun()));
    expect(await clocks()).toEqual([{ clock: 'name' }, { clock: 'start' }]);
    expect(await corrections()).toEqual([]);
  });
});
