import { beforeEach, expect, it } from 'vitest';
import { WorstStretchesOutput } from '../../../../src/operations/stats/worst/contract.ts';
import { describeOnWire, openForAll } from '../../../engines.ts';
import { DBFS_SCALE } from '../../../scales.ts';
import { insertPoints, queryOf, startTestService } from '../../../service.ts';

const near = (figure: number) => expect.closeTo(figure, 9);
/** The power of a level, which is stored as a real. */
const power = (level: number) => 10 ** (Math.fround(level) / 10);

describeOnWire('stats.worst', (engine) => {
  const service = openForAll(() => startTestService(engine));
  beforeEach(() => service.sql('truncate audio_data'));
  const worst = queryOf(service, '/stats/worst', WorstStretchesOutput);

  it('ranks a compressor that runs for 45 minutes above a heat pump that cycles all day, with their third octaves', async () => {
    // a day in Vienna, with a point every 10 s; the heat pump runs for the first 12 minutes of each hour; from 13:37 to
    // 14:22 only the compressor is heard
    await service.sql(`insert into audio_data (time, rms_db, frequency_hz)
      select time, case when compressor then -25 when pump then -38 else -45 end,
        case when compressor then 310 when pump then 120 end
      from generate_series('2026-01-09T23:00:00Z'::timestamptz, '2026-01-10T22:59:50Z', '10 s') time,
        lateral (select extract(minute from time at time zone 'UTC') < 12,
          time >= '2026-01-10T12:37:00Z' and time < '2026-01-10T13:22:00Z') of_time(pump, compressor)`);
    // 270 points of the compressor, 23 × 72 of the heat pump
    const energy = 270 * power(-25) + 1656 * power(-38) + (8640 - 270 - 1656) * power(-45);
    const share = (sum: number, count: number) => near((100 * (sum - count * power(-45))) / energy);
    const loud = 270 * power(-25) + 90 * power(-45);
    const cycle = 72 * power(-38) + 18 * power(-45);
    const first = {
      from: '2026-01-10T12:30:00.000000Z',
      to: '2026-01-10T13:30:00.000000Z',
      leq_db: near(10 * Math.log10(loud / 360)),
      background_db: -45,
      energy_percent: share(loud, 360),
      band_hz: 315,
    };
    // of equally loud cycles, the earliest comes first
    const cycleAt = (from: string, to: string) => ({
      from,
      to,
      leq_db: near(10 * Math.log10(cycle / 90)),
      background_db: -45,
      energy_percent: share(cycle, 90),
      band_hz: 125,
    });
    const day = 'from=2026-01-10&to=2026-01-11&time_zone=Europe/Vienna';
    const answer = await worst(day);
    expect(answer).toEqual({
      excluded_seconds: 0,
      from: '2026-01-09T23:00:00.000000Z',
      to: '2026-01-10T23:00:00.000000Z',
      scale: DBFS_SCALE,
      bucket: '15m',
      time_zone: 'Europe/Vienna',
      worst: [
        first,
        cycleAt('2026-01-09T23:00:00.000000Z', '2026-01-09T23:15:00.000000Z'),
        cycleAt('2026-01-10T00:00:00.000000Z', '2026-01-10T00:15:00.000000Z'),
      ],
    });
    expect(answer.worst[0]?.energy_percent).toBeCloseTo(64, 0);
    expect((await worst(`${day}&limit=100`)).worst).toHaveLength(24);
    expect((await worst(`${day}&limit=1`)).worst).toEqual([first]);
    expect((await worst(`${day}&bucket=5m&limit=1`)).worst).toMatchObject([
      { from: '2026-01-10T12:35:00.000000Z', to: '2026-01-10T13:25:00.000000Z' },
    ]);
  });

  it('joins neighbouring buckets at least 3 dB above the background, and clips the ends to the interval', async () => {
    await service.sql(
      insertPoints([
        ['2026-01-01T00:00:09Z', -10, 100], // before `from`
        ['2026-01-01T00:00:15Z', -37, null],
        ['2026-01-01T00:00:20Z', -40.04, 1000],
        ['2026-01-01T00:00:25Z', null, 2000], // a bucket without a level does not count
        ['2026-01-01T00:00:30Z', -30, 4000],
        ['2026-01-01T00:00:30Z', -30, 5000], // a tie: the lower band
        ['2026-01-01T00:00:42Z', -37, null],
        ['2026-01-01T00:00:50Z', -37.01, 100],
        ['2026-01-01T00:00:59Z', -40.04, 100],
        ['2026-01-01T00:01:02Z', -37, null],
        ['2026-01-01T00:01:03Z', -10, 100], // at `to`
      ]),
    );
    const { worst: found } = await worst('from=2026-01-01T00:00:15Z&to=2026-01-01T00:01:03Z&bucket=10s');
    const energy = 3 * power(-37) + 2 * power(-40.04) + 2 * power(-30) + power(-37.01);
    const alone = { leq_db: -37, background_db: -40, band_hz: null };
    const share = near((100 * (power(-37) - power(-40))) / energy);
    expect(found).toEqual([
      {
        from: '2026-01-01T00:00:30.000000Z',
        to: '2026-01-01T00:00:50.000000Z',
        leq_db: near(10 * Math.log10((2 * power(-30) + power(-37)) / 3)),
        background_db: -40,
        energy_percent: near((100 * (2 * power(-30) + power(-37) - 3 * power(-40))) / energy),
        band_hz: 4000,
      },
      {
        ...alone,
        from: '2026-01-01T00:00:15.000000Z',
        to: '2026-01-01T00:00:20.000000Z',
        energy_percent: share,
      },
      {
        ...alone,
        from: '2026-01-01T00:01:00.000000Z',
        to: '2026-01-01T00:01:03.000000Z',
        energy_percent: share,
      },
    ]);
  });

  it('is empty without points', async () => {
    expect((await worst('from=2026-01-01T00:00:00Z&to=2026-02-01T00:00:00Z')).worst).toEqual([]);
  });
});
