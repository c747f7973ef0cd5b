// How points were recorded: the rows of audio_data_periods, through the spool and from files, in any order.
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { instantOf } from '../../src/contract/instant.ts';
import type { PeriodSettings } from '../../src/contract/periods.ts';
import { UNKNOWN } from '../../src/contract/periods.ts';
import type { Database } from '../../src/database/database.ts';
import { publishedPeriods, publishPeriods } from '../../src/recorder/storing/periods/note-periods.ts';
import { type RecordedAs, recordedAs } from '../../src/recorder/storing/periods/recorded-as.ts';
import { createSegmentStore } from '../../src/recorder/storing/spool/segment-store.ts';
import type { Spool } from '../../src/recorder/storing/spool/spool.ts';
import { createSpoolWriter } from '../../src/recorder/storing/spool/spool-writer.ts';
import { describeOnWire, type Engine, openForAll } from '../engines.ts';
import { createRun, file, messageOf, record } from './run.ts';
import { encode, sine, wav } from './sound.ts';
import { openTestSpool, points } from './spool/segments.ts';

const SECOND = 1000;
const LIVE = { intervalMs: SECOND, mostMs: 1e9 };
const BASE = {
  weighting: 'A',
  timeWeighting: undefined,
  referenceDb: 85,
  calibrationDb: 120,
  intervalMs: SECOND,
  channel: 'mean',
  isNewPeriod: false,
} as const;
const as = (given: Partial<Parameters<typeof recordedAs>[0]> = {}) =>
  recordedAs({ ...BASE, ...given }, 'start');
const EMPTY = 'truncate audio_data; truncate audio_data_periods';
const street = as();
const road = as({ referenceDb: 95 });
const at = (second: number) => instantOf(SECOND * second);

const rowOf = (since: number, { settings }: { settings: PeriodSettings }) => ({
  since: at(since),
  ...settings,
});

/** Shared by the tests of an engine. */
function arranged(engine: Engine) {
  const test = openForAll(() => engine.open());
  afterEach(() => test.sql(EMPTY));

  const periods = () =>
    test.sql(`select to_char(since at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as since, weighting,
      time_weighting, reference_db, calibration_db, interval_ms, channel, statistic, instrument, counts_overload, clock
      from audio_data_periods order by 1`);
  const stored = async () => (await test.sql('select count(*)::int as n from audio_data'))[0].n;
  const sqlPoints = (from: number, count: number) =>
    test.sql(`insert into audio_data (time, rms_db)
      select to_timestamp(${from} + n), -20 from generate_series(0, ${count - 1}) n`);

  async function store(spool: Spool, db: Database = test.db): Promise<string[]> {
    const lines: string[] = [];
    await createSegmentStore(db, spool, (line) => lines.push(line), true)();
    return lines;
  }

  /** Writes a point per second, like a recorder of live or past sound. */
  async function recorded(
    how: RecordedAs | undefined,
    from: number,
    count: number,
    given: { spool?: Spool; isLive?: boolean } = {},
  ) {
    const { spool = await openTestSpool(), isLive = true } = given;
    const writer = createSpoolWriter({ spool, live: isLive ? LIVE : undefined, as: how, report: () => {} });
    await writer.add(points(from, count));
    await writer.close();
    return spool;
  }

  /** A live recorder whose batches are stored one by one. */
  async function liveRecorder(how: RecordedAs) {
    const spool = await openTestSpool();
    const writer = createSpoolWriter({ spool, live: LIVE, as: how, report: () => {} });
    const wait = () => expect.poll(async () => (await spool.waiting()).length, { interval: 5 });
    return {
      spool,
      close: () => writer.close(),
      async write(from: number, count: number) {
        await writer.add(points(from, count));
        await wait().toBeGreaterThan(0);
      },
      async batch(from: number, count: number) {
        await writer.add(points(from, count));
        await wait().toBe(1);
        return store(spool);
      },
    };
  }

  /** Runs `record FILE` with this many seconds of a tone. */
  async function recordFile(from: number, seconds: number, ...args: string[]) {
    const run = createRun({ onto: test.db });
    const sound = file(wav(encode('s16', [sine(1000, 0.1)], 8000, 8000 * seconds)));
    await record([sound, '--start', at(from), '--interval', '1s', '--weighting', 'A', ...args], run.io);
    return run.lines;
  }
  const ofStreet = ['--reference-db', '85', '--calibration', '120'];
  return { test, periods, stored, sqlPoints, store, recorded, liveRecorder, recordFile, ofStreet };
}

describeOnWire('The periods of points', (engine) => {
  const { test, periods, stored, sqlPoints, store, recorded, liveRecorder, recordFile, ofStreet } =
    arranged(engine);

  it('of a file before later points end with the file', async () => {
    await sqlPoints(1000, 10);
    await recordFile(100, 5, ...ofStreet);
    expect(await periods()).toEqual([rowOf(100, street), rowOf(105, { settings: UNKNOWN })]);
    await store(await recorded(road, 2000, 5));
    await recordFile(1500, 5, ...ofStreet);
    expect((await periods()).slice(2)).toEqual([
      rowOf(1500, street),
      rowOf(1505, { settings: UNKNOWN }),
      rowOf(2000, road),
    ]);
    await recordFile(2010, 5, ...ofStreet, '--new-period'); // the last one, which stays open
    expect((await periods()).slice(5)).toEqual([rowOf(2010, street)]);
    await recordFile(2002, 2, ...ofStreet, '--new-period', '--add');
    expect((await periods()).slice(4)).toEqual([
      rowOf(2000, road),
      rowOf(2002, street),
      rowOf(2004, road),
      rowOf(2010, street),
    ]);
  });

  it("keep other recorders' settings, whatever is recorded before, after and between, in any order, one by one or in batches", async () => {
    const choices = [street, road, as({ timeWeighting: 'slow' })];
    const Stretch = fc.record({ choice: fc.nat(2), length: fc.integer({ min: 1, max: 3 }), gap: fc.nat(2) });
    await fc.assert(
      fc.asyncProperty(
        fc.array(Stretch, { minLength: 1, maxLength: 6 }),
        fc.infiniteStream(fc.nat()),
        fc.infiniteStream(fc.boolean()),
        async (stretches, order, isStored) => {
          await test.sql(EMPTY);
          const expected = new Map<string, number | null>();
          let from = 100;
          const recordings = stretches.map(({ choice, length, gap }) => {
            const start = from + gap;
            from = start + length;
            return { choice, start, length };
          });
          const rest = [...recordings];
          let spool: Spool | undefined;
          while (rest.length > 0) {
            const [next] = rest.splice((order.next().value ?? 0) % rest.length, 1);
            if (!next) break;
            const { choice, start, length } = next;
            spool = await recorded(choices[choice], start, length, {
              isLive: false,
              ...(spool && { spool }),
            });
            if (rest.length === 0 || isStored.next().value) {
              await store(spool);
              spool = undefined;
            }
            for (let s = start; s < start + length; s++) expected.set(at(s), choice);
          }
          const rows = await periods();
          const held = [...expected.keys()].map((time) => {
            const row = rows.findLast(({ since }) => since <= time);
            return choices.findIndex(
              ({ settings }) => row && Object.entries(settings).every(([name, value]) => row[name] === value),
            );
          });
          expect(held).toEqual([...expected.values()]);
        },
      ),
      { numRuns: 10, seed: 1 },
    );
  });

  it('begin with the first point of a recorder, and continue with the next recorder of equal settings', async () => {
    const spool = await recorded(street, 100, 5);
    expect(await store(spool)).toEqual([]);
    await recorded(street, 110, 5, { spool });
    expect(await store(spool)).toEqual([]);
    expect(await periods()).toEqual([rowOf(100, street)]);
    expect(await publishedPeriods(spool)).toEqual([rowOf(100, street)]);
    const other = as({ calibrationDb: 120.5, channel: 2, intervalMs: 500 });
    await recorded(other, 120, 5, { spool });
    expect(await store(spool)).toEqual([]); // the unit is the same
    expect(await periods()).toEqual([rowOf(100, street), rowOf(120, other)]);
    expect(await publishedPeriods(spool)).toEqual([rowOf(120, other), rowOf(100, street)]);
  });

  it('cover all points of a batch, even if one recorder begins before the window of another ends', async () => {
    const spool = await recorded(street, 100, 5);
    await recorded(street, 104, 5, { spool });
    expect(await store(spool)).toEqual([]);
    await recorded(street, 120, 5, { spool });
    expect(await store(spool)).toEqual([]);
    expect(await periods()).toEqual([rowOf(100, street)]);
  });

  it('begin with a warning if a difference shows only at storing, and without one on request', async () => {
    const spool = await recorded(street, 100, 5);
    await recorded(road, 110, 5, { spool });
    await recorded(as({ timeWeighting: 'fast', isNewPeriod: true }), 120, 5, { spool });
    await recorded(as({ referenceDb: undefined, calibrationDb: undefined, weighting: 'Z' }), 130, 5, {
      spool,
    });
    expect(await store(spool)).toEqual([
      `Warning: a new period begins at ${at(110)}: dB(A) with the reference 95, after dB(A) with the reference 85.`,
      `Warning: a new period begins at ${at(130)}: dBFS, weighting Z, after dB(A) with the reference 85, fast.`,
    ]);
    expect((await periods()).map((row) => [row.since, row.reference_db, row.time_weighting])).toEqual([
      [at(100), 85, null],
      [at(110), 95, null],
      [at(120), 85, 'fast'],
      [at(130), null, null],
    ]);
    expect((await periods()).map(({ statistic }) => statistic)).toEqual(['leq', 'leq', 'max', 'leq']);
    expect(await stored()).toBe(20);
  });

  it('are stored with their points, all or none, and once if the response to the commit is lost', async () => {
    const spool = await recorded(street, 100, 5);
    const lost = new Error('gone');
    const failing: Database = {
      ...test.db,
      transaction: (work) =>
        test.db.transaction(async (transaction) => {
          await work(transaction);
          throw lost;
        }),
    };
    await expect(store(spool, failing)).rejects.toBe(lost);
    expect([await stored(), await periods()]).toEqual([0, []]);
    const losing: Database = {
      ...test.db,
      async transaction(...given) {
        await test.db.transaction(...given);
        throw lost;
      },
    };
    await expect(store(spool, losing)).rejects.toBe(lost);
    await store(spool);
    expect([await stored(), await periods()]).toEqual([5, [rowOf(100, street)]]);
  });

  it('ignore segments without settings, which are stored as usual', async () => {
    const spool = await recorded(undefined, 100, 5);
    expect(await store(spool)).toEqual([]);
    expect([await stored(), await periods(), await publishedPeriods(spool)]).toEqual([5, [], []]);
  });

  it('of files that follow each other, and of the pieces of a past stream, are one', async () => {
    await sqlPoints(1000, 10);
    for (const from of [100, 105, 120]) await recordFile(from, 5, ...ofStreet);
    expect(await periods()).toEqual([rowOf(100, street), rowOf(125, { settings: UNKNOWN })]);
    const spool = await openTestSpool();
    for (const from of [200, 210, 220, 230]) {
      await recorded(road, from, 10, { spool, isLive: false });
      await store(spool);
    }
    // the period at 125 had no points, so it is gone
    expect(await periods()).toEqual([
      rowOf(100, street),
      rowOf(200, road),
      rowOf(240, { settings: UNKNOWN }),
    ]);
  });

  it('of a live recorder whose batches come late are one, and end before the next recorder begins', async () => {
    await store(await recorded(road, 1000, 5));
    const recorder = await liveRecorder(street);
    for (const from of [100, 110, 130]) await recorder.batch(from, 10);
    await recorder.close();
    expect(await periods()).toEqual([
      rowOf(100, street),
      rowOf(140, { settings: UNKNOWN }),
      rowOf(1000, road),
    ]);
  });

  it('of two live recorders with different settings do not alternate', async () => {
    const one = await liveRecorder(street);
    const other = await liveRecorder({ ...road, isNewPeriod: true });
    for (let second = 100; second < 106; second++) {
      await one.batch(second, 1);
      if (second >= 102) await other.batch(second, 1);
    }
    for (const recorder of [one, other]) await recorder.close();
    expect(await periods()).toEqual([rowOf(100, street), rowOf(102, road)]);
    expect(await stored()).toBe(10);
  });

  it('resume for a live recorder about a minute after another one has come and gone', async () => {
    const one = await liveRecorder(street);
    const other = await liveRecorder({ ...road, isNewPeriod: true });
    const said: string[] = [];
    for (const [recorder, from] of [
      [one, 100],
      [other, 102],
      [one, 110],
      [one, 163],
      [one, 170],
    ] as const)
      said.push(...(await recorder.batch(from, 2)));
    for (const recorder of [one, other]) await recorder.close();
    expect(await periods()).toEqual([rowOf(100, street), rowOf(102, road), rowOf(163, street)]);
    expect(said).toEqual([
      `Warning: a new period begins at ${at(163)}: dB(A) with the reference 85, after dB(A) with the reference 95.`,
    ]);
  });

  it('cover points that the recorder dates before its first one, after its clock was set back', async () => {
    const recorder = await liveRecorder(street);
    for (const from of [4000, 400]) await recorder.write(from, 5);
    await recorder.close();
    await store(recorder.spool);
    expect((await periods())[0]).toEqual(rowOf(400, street));
  });

  it('resume at points dated in the future if a file with other settings ends before them', async () => {
    const ahead = Date.now() / SECOND + 3600;
    await store(await recorded(street, 100, 5));
    await store(await recorded(street, Math.ceil(ahead), 5));
    await store(await recorded(road, 200, 5, { isLive: false }));
    expect(await periods()).toEqual([rowOf(100, street), rowOf(200, road), rowOf(205, street)]);
  });

  it('end with the last possible instant', async () => {
    const last = Date.UTC(9999, 11, 31, 23, 59, 59) / SECOND;
    expect(await store(await recorded(street, last, 1, { isLive: false }))).toEqual([]);
    expect([await periods(), await stored()]).toEqual([[rowOf(last, street)], 1]);
  });
});

describe('A recorder whose levels would not be comparable', () => {
  const SOUND = wav(encode('s16', [sine(1000, 0.1)], 8000, 1600));
  const args = ['--start', at(200), '--weighting', 'A', '--time-weighting', 'fast'];

  it('is refused with each difference before it stores, unless it has --new-period', async () => {
    const run = createRun();
    const spool = await run.io.openSpool();
    const beside = async (given: string[]) => {
      await publishPeriods(spool, [rowOf(150, road), rowOf(100, street)]);
      const { stdin } = createRun({ stdin: SOUND }).io;
      const io = { ...run.io, stdin, database: 'embedded' as const, openSpool: async () => spool };
      return messageOf(record(given, io));
    };
    const refusal = [
      `--time-weighting: fast, but the points since ${at(150)} have none`,
      `--reference-db: none, but the points since ${at(150)} have 95`,
      `statistic: max, but the points since ${at(150)} have leq`,
      'Levels would not compare: record with the earlier settings, or begin a new period with --new-period',
    ].join('\n');
    expect(await beside(['-', ...args])).toBe(refusal);
    expect([await spool.waiting(), run.db.rows]).toEqual([[], []]);
    expect(await beside(['-', ...args, '--new-period'])).toBe('no error');
    const known = '--weighting A --reference-db 85 --calibration 90'.split(' ');
    expect(await beside(['-', '--start', at(120), ...known])).toBe('no error'); // the setting that applies then is the same
    expect(await beside(['-', '--start', at(50)])).toBe('no error'); // no settings are known at that time
  });

  it('is refused after a file that was stored before later points, if nothing is known after it', async () => {
    const run = createRun();
    const spool = await run.io.openSpool();
    await publishPeriods(spool, [rowOf(150, { settings: UNKNOWN }), rowOf(100, street)]);
    const { stdin } = createRun({ stdin: SOUND }).io;
    const io = { ...run.io, stdin, database: 'embedded' as const, openSpool: async () => spool };
    expect(await messageOf(record(['-', ...args], io))).toContain(
      `--reference-db: none, but the points since ${at(100)} have 85`,
    );
  });
});
