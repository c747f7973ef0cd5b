// Compares statistics with a witness that keeps the sums of every minute, while points become history day by day.
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, it } from 'vitest';
import { refreshRollups } from '../../../src/rollups/refresh-rollups.ts';
import { connect, describeEachEngine, openForAll } from '../../engines.ts';
import { limitOf } from '../../limits.ts';
import { seeded, soakNumber, soakSeed } from '../../seeded.ts';
import { startBeside } from '../../service.ts';

const QUESTIONS = soakNumber('HISTORY_QUESTIONS', 350);
const seed = soakSeed();
const START = Date.parse('2026-01-01Z');
const [DAYS, LEFT, DAY] = [40, 5, 1440];
const END = DAYS * DAY;
/** In minutes after the start. Whole minutes, because history knows no others. */
const EXCLUDED = [
  [2 * DAY + 197, 2 * DAY + 281],
  [8 * DAY + 1320, 9 * DAY + 390],
  [30 * DAY + 600, 30 * DAY + 630],
] as const;
/** Zones without a clock change in these days, and their minutes ahead of UTC. */
const ZONES = [
  ['UTC', 0],
  ['Europe/Vienna', 60],
  ['Asia/Kolkata', 330],
  ['Asia/Kathmandu', 345],
] as const;
const BUCKETS = {
  '1m': 1,
  '5m': 5,
  '30m': 30,
  '1h': 60,
  '6h': 360,
  '1d': DAY,
  '1w': 7 * DAY,
  '1mo': 28 * DAY,
};
const OFFSET_DB = 90;
const LIMITS = [limitOf('06:00', '22:00', 85), limitOf('22:00', '06:00', 39.9)];

const instant = (minute: number) => new Date(START + minute * 60_000).toISOString().replace('Z', '000Z');
const minuteOf = (time: string) => (Date.parse(time) - START) / 60_000;
const isExcluded = (minute: number) => EXCLUDED.some(([from, to]) => minute >= from && minute < to);
const leqOf = (power: number, levels: number) =>
  levels > 0 && power > 0 ? 10 * Math.log10(power / levels) : null;
const percent = (part: number, all: number) => (all > 0 ? (100 * part) / all : null);

const isDeadlock = (error: unknown) => error instanceof Error && 'code' in error && error.code === '40P01';

/** What the table of all points has in a minute. */
interface Minute {
  minute: number;
  n: number;
  levels: number;
  level_sum: string;
  power: number;
  above: number;
  silent: number;
  floors: number;
  ceilings: number;
  low: number | null;
  high: number | null;
}

const minutesOf = (day: number) => `
  select (extract(epoch from date_trunc('minute', time) - '${instant(0)}') / 60)::int as minute, count(*)::int as n,
    count(rms_db)::int as levels, coalesce(sum((rms_db::float8 * 4294967296)::bigint), 0)::text as level_sum,
    coalesce(sum(10 ^ (rms_db::float8 / 10)), 0) as power,
    coalesce(sum(10 ^ (rms_db::float8 / 10)) filter (where round(rms_db::numeric, 1) > -50), 0) as above,
    count(*) filter (where is_silence)::int as silent, count(*) filter (where round(rms_db::numeric, 1) = -50)::int as floors,
    count(*) filter (where round(rms_db::numeric, 1) = 0)::int as ceilings, min(rms_db) as low, max(rms_db) as high
  from witness where time >= '${instant(day * DAY)}' and time < '${instant((day + 1) * DAY)}' group by 1`;

describeEachEngine('Statistics of points that become history', (engine) => {
  const test = openForAll(() => engine.open());
  const site = { limits: LIMITS, calibrationOffsetDb: OFFSET_DB, timeZone: 'UTC' };
  const service = openForAll(() => startBeside(test, { site }));
  const random = seeded(seed);
  const below = (count: number) => Math.floor(random() * count);
  const minutes = new Map<number, Minute>();
  const differences: string[] = [];
  let asked = 0;

  const readWitness = async (day: number) => {
    for (let minute = day * DAY; minute < (day + 1) * DAY; minute++) minutes.delete(minute);
    for (const row of await test.sql(minutesOf(day))) minutes.set(row.minute, row);
  };

  beforeAll(async () => {
    // one day in seven is sparse, and one hour in nine has levels at the floor only
    await test.sql(`select setseed(${(seed % 1000) / 1000})`);
    await test.sql(`insert into audio_data
      select time, case when n % 17 > 0 then case when n / 360 % 9 = 0 then -50 when n % 997 = 0 then 0
          else greatest(-50, round((-0.1 - 55 * random())::numeric, 2)) end end,
        case when n % 13 > 0 then 100 + n * 3 % 40 end, n % 7 = 0
      from generate_series(0, ${END * 6 - 1}) n, lateral (select '${instant(0)}'::timestamptz + n * interval '10 s' + (n % 10) * interval '123456 us') as at (time)
      where n % 9000 > 300 and (n / 8640 % 7 <> 3 or n % 6 = 0)`);
    await test.sql('create table witness as select * from audio_data');
    await test.sql('create index on witness (time)');
    await test.sql(
      `insert into audio_data_periods (since, weighting, reference_db, interval_ms) values ('2025-01-01Z', 'A', ${OFFSET_DB}, 10000)`,
    );
    for (const [from, to] of EXCLUDED)
      await test.sql(
        `insert into audio_data_exclusions (since, until, reason) values ('${instant(from)}', '${instant(to)}', 'rain')`,
      );
    await refreshRollups(test.sql, 100_000);
    for (let day = 0; day < DAYS; day++) await readWitness(day);
  });

  const sumOf = (from: number, to: number, isCounted = (minute: number) => !isExcluded(minute)) => {
    const sum = { n: 0, levels: 0, power: 0, above: 0, silent: 0, floors: 0, ceilings: 0, measured: 0 };
    let [level_sum, low, high] = [0n, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (let minute = Math.max(from, 0); minute < Math.min(to, END); minute++) {
      const found = minutes.get(minute);
      if (!found || !isCounted(minute)) continue;
      for (const name of ['n', 'levels', 'power', 'above', 'silent', 'floors', 'ceilings'] as const)
        sum[name] += found[name];
      sum.measured += 1;
      level_sum += BigInt(found.level_sum);
      low = Math.min(low, found.low ?? low);
      high = Math.max(high, found.high ?? high);
    }
    const has = sum.levels > 0;
    const clamped = (level: number) => Math.max(Math.min(level, high), low);
    const [leq_db, leq_low_db] = [leqOf(sum.power, sum.levels), leqOf(sum.above, sum.levels)];
    return {
      ...sum,
      point_count: sum.n,
      avg_db: has ? clamped(Number(level_sum) / 2 ** 32 / sum.levels) : null,
      min_db: has ? low : null,
      max_db: has ? high : null,
      leq_db: leq_db === null ? null : clamped(leq_db),
      leq_low_db: leq_db === null || leq_low_db === null ? null : Math.min(leq_low_db, clamped(leq_db)),
      silence_percent: percent(sum.silent, sum.n),
    };
  };

  /** Energies may differ by 1e-9 dB; everything else is equal to the bit. */
  function compare(about: string, actual: object, expected: object) {
    const given = new Map<string, unknown>(Object.entries(actual));
    for (const [name, wanted] of Object.entries(expected)) {
      const found = given.get(name);
      const isEnergy = /^(leq|lday|levening|lnight|lden)_/.test(name);
      const isSame =
        isEnergy && typeof found === 'number' && typeof wanted === 'number'
          ? Math.abs(found - wanted) <= 1e-9
          : Object.is(found, wanted);
      if (!isSame) differences.push(`${about}: ${name} is ${found}, the witness has ${wanted}`);
    }
  }

  const basic = ({
    point_count,
    avg_db,
    min_db,
    max_db,
    leq_db,
    silence_percent,
  }: ReturnType<typeof sumOf>) => ({
    point_count,
    avg_db,
    min_db,
    max_db,
    leq_db,
    silence_percent,
  });

  // biome-ignore lint/suspicious/noExplicitAny: bodies of several operations
  type Check = (from: number, to: number, body: any, about: string, zone: number) => void;

  const ofSummary: Check = (from, to, body, about) => {
    const sum = sumOf(from, to);
    compare(about, body, { ...basic(sum), leq_low_db: sum.leq_low_db });
    if (body.history_until === undefined && sum.levels > 0 && body.l50_db === null)
      differences.push(`${about}: l50_db is null without history`);
    if ('history_until' in body !== 'levels_unavailable' in body)
      differences.push(`${about}: ${JSON.stringify(body)}`);
    if (
      'history_until' in body &&
      !(minuteOf(body.history_until) > from && minuteOf(body.history_until) <= to)
    )
      differences.push(`${about}: history_until is ${body.history_until}`);
  };

  const ofSeries: Check = (from, to, body, about) => {
    const starts = body.buckets.map(({ time }: { time: string }) => minuteOf(time));
    if (starts[0] > from || (starts[1] ?? to) <= from || starts.at(-1) >= to)
      differences.push(`${about}: starts at ${starts[0]}`);
    for (const [at, bucket] of body.buckets.entries())
      compare(
        `${about} ${bucket.time}`,
        bucket,
        basic(sumOf(Math.max(from, starts[at]), Math.min(to, starts[at + 1] ?? to))),
      );
  };

  const ofDays: Check = (from, to, body, about, zone) => {
    let points = 0;
    for (const day of body.days) {
      const midnight = minuteOf(`${day.date}T00:00:00Z`) - zone;
      const cuts = [7, 19, 23, 31].map((hour) => midnight + hour * 60);
      const sums = cuts.slice(1).map((end, at) => sumOf(Math.max(from, cuts[at] ?? end), Math.min(to, end)));
      const all = sumOf(Math.max(from, cuts[0] ?? 0), Math.min(to, cuts[3] ?? 0));
      const [lday_db = null, levening_db = null, lnight_db = null] = sums.map(({ leq_db }) => leq_db);
      const [lday_low_db = null, levening_low_db = null, lnight_low_db = null] = sums.map(
        ({ leq_low_db }) => leq_low_db,
      );
      const [day_measured_percent, evening_measured_percent, night_measured_percent] = sums.map(
        ({ measured }, at) => percent(measured, [720, 240, 480][at] ?? 0),
      );
      const energy = (level: number, hours: number, penalty: number) =>
        (hours / 24) * 10 ** ((level + penalty) / 10);
      const lden_db =
        lday_db === null || levening_db === null || lnight_db === null
          ? null
          : 10 * Math.log10(energy(lday_db, 12, 0) + energy(levening_db, 4, 5) + energy(lnight_db, 8, 10));
      const [day_count, evening_count, night_count] = sums.map(({ n }) => n);
      compare(`${about} ${day.date}`, day, {
        from: instant(cuts[0] ?? 0),
        to: instant(cuts[3] ?? 0),
        point_count: all.n,
        leq_db: all.leq_db,
        leq_low_db: all.leq_low_db,
        lday_db,
        levening_db,
        lnight_db,
        lden_db,
        lday_low_db,
        levening_low_db,
        lnight_low_db,
        day_count,
        evening_count,
        night_count,
        day_measured_percent,
        evening_measured_percent,
        night_measured_percent,
        under_range: all.floors,
        over_range: all.ceilings,
      });
      points += all.n;
    }
    const sum = sumOf(from, to);
    compare(`${about} overall`, body.overall, {
      point_count: sum.n,
      leq_db: sum.leq_db,
      under_range: sum.floors,
    });
    if (points !== sum.n) differences.push(`${about}: the days have ${points} points of ${sum.n}`);
  };

  const ofLimits: Check = (from, to, body, about) => {
    let points = 0;
    for (const part of body.parts) {
      const [since, until] = [Math.max(from, minuteOf(part.from)), Math.min(to, minuteOf(part.to))];
      const sum = sumOf(since, until);
      const isOver = (level: number | null) => level !== null && level + OFFSET_DB > part.limit_db + 1e-5;
      const levels = Array.from({ length: until - since }, (_, at) => since + at).flatMap((minute) => {
        const found = minutes.get(minute);
        return found && found.levels > 0 && !isExcluded(minute) ? [found] : [];
      });
      const over = levels.filter(({ above, levels }) => isOver(leqOf(above, levels))).length;
      const maybe = levels.filter(({ power, levels }) => isOver(leqOf(power, levels))).length;
      compare(`${about} ${part.from}`, part, {
        point_count: sum.n,
        leq_db: sum.leq_db,
        leq_low_db: sum.leq_low_db,
        minute_count: levels.length,
        minutes_over: over,
        minutes_undecided: maybe - over,
        over_range: sum.ceilings,
      });
      points += sum.n;
    }
    const { n } = sumOf(from, to);
    if (points !== n) differences.push(`${about}: the parts have ${points} points of ${n}`);
  };

  /** The seconds that count as a gap: more than any minute adds to the ends of one. */
  const GAP_MINUTES = 10;
  const ofQuality: Check = (from, to, body, about) => {
    const sum = sumOf(from, to, () => true);
    compare(about, body, {
      point_count: sum.n,
      null_level_percent: percent(sum.n - sum.levels, sum.n),
      at_floor_percent: percent(sum.floors, sum.levels),
      at_ceiling_percent: percent(sum.ceilings, sum.levels),
      silence_percent: sum.silence_percent,
    });
    // a minute with points is measured from its start to its end if it is history, otherwise from its first point to its last
    const [least, most] = [
      { count: 0, minutes: 0 },
      { count: 0, minutes: 0 },
    ];
    const end = (length: number, ends: number) => {
      if (length >= GAP_MINUTES) least.count += 1;
      if (length >= GAP_MINUTES) least.minutes += length;
      if (length + ends >= GAP_MINUTES) most.count += 1;
      if (length + ends >= GAP_MINUTES) most.minutes += length + ends;
    };
    let empty = from;
    for (let minute = from; minute < to; minute++) {
      if (!minutes.has(minute)) continue;
      end(minute - empty, empty === from ? 1 : 2);
      empty = minute + 1;
    }
    end(to - empty, empty === from ? 0 : 1);
    if (body.gap_count < least.count || body.gap_count > most.count)
      differences.push(`${about}: ${body.gap_count} gaps, the witness has ${least.count} to ${most.count}`);
    const gap = body.gap_seconds / 60;
    if (gap < least.minutes - 1e-6 || gap > most.minutes + 1e-6)
      differences.push(`${about}: gaps of ${gap} min, the witness has ${least.minutes} to ${most.minutes}`);
  };

  /** Ends at a minute, a half hour or a day; a minute to six weeks long, sometimes beyond the points. */
  function someInterval() {
    const step = [1, 1, 30, DAY][below(4)] ?? 1;
    const from = Math.floor((-DAY + below(END + DAY)) / step) * step;
    const length = Math.ceil(1.01 ** below(1100) / step) * step;
    return { from, to: Math.min(from + Math.max(length, 1), END + 2 * DAY) };
  }

  async function ask() {
    const { from, to } = someInterval();
    const [zone, ahead] = ZONES[below(ZONES.length)] ?? ZONES[0];
    const fitting = Object.entries(BUCKETS).filter(([, length]) => (to - from) / length < 1000);
    const bucket = fitting[below(fitting.length)]?.[0] ?? '1h';
    const kinds: readonly (readonly [string, Check])[] = [
      ['summary?', ofSummary],
      [`series?bucket=${bucket}&`, ofSeries],
      [`days?time_zone=${zone}&`, ofDays],
      [`limits?time_zone=${zone}&`, ofLimits],
      [`quality?min_gap_seconds=${GAP_MINUTES * 60}&`, ofQuality],
    ];
    const [operation, check] = kinds[asked++ % kinds.length] ?? ['summary?', ofSummary];
    const about = `${operation}from=${instant(from)}&to=${instant(to)}`;
    const { status, body } = await service.get(`/stats/${about}`);
    if (status !== 200) differences.push(`${about}: ${status} ${JSON.stringify(body)}`);
    else check(from, to, body, about, ahead);
  }

  /** One change, of both tables alike. Only points of days from `present` on may change or leave. */
  function someChange(present: number, days: readonly number[]) {
    const anywhere = days[below(days.length)] ?? 0;
    const later = Math.min(present + 1 + below(DAYS - present), DAYS - 1);
    const time = (day: number) => new Date(START + day * 86_400_000 + below(86_400_000)).toISOString();
    const within = (at: string, length: string) =>
      `time >= '${at}' and time < least('${at}'::timestamptz + interval '${length}', date_trunc('day', '${at}'::timestamptz at time zone 'UTC') at time zone 'UTC' + interval '1 day')`;
    const point = `${-below(5001) / 100}, ${100 + below(200)}, ${below(2) > 0}`;
    const [at, then, length] = [time(anywhere), time(later), `${1 + below(40)} min`];
    const hour = String(below(22)).padStart(2, '0');
    const half = `${at.slice(0, 11)}${hour}:17:${at.slice(17)}`;
    const changes = [
      [
        anywhere,
        (table: string) => `insert into ${table} values ('${at}', ${point}), ('${at}', null, null, true)`,
      ],
      [
        anywhere,
        (table: string) =>
          `insert into ${table} select '${half}'::timestamptz + n * interval '31 s', ${point} from generate_series(0, 150) n`,
      ],
      [later, (table: string) => `update ${table} set rms_db = -0.5 where ${within(then, '40 s')}`],
      [
        later,
        (table: string) =>
          `update ${table} set time = time + interval '${then.slice(11) < '12' ? 3 : -3} h' where ${within(then, '90 s')}`,
      ],
      [later, (table: string) => `delete from ${table} where ${within(then, length)}`],
    ] as const;
    const [day, change] = changes[below(changes.length)] ?? changes[0];
    return { day, texts: ['audio_data', 'witness'].map(change) };
  }

  it('equals what was computed from the points before they left', { timeout: 3_600_000 }, async () => {
    const writer = test.url === undefined ? undefined : await connect(test.url);
    const write = async (texts: readonly string[]) => {
      if (!writer) for (const text of texts) await test.sql(text);
      while (writer) {
        try {
          return await writer.query(`begin; ${texts.join('; ')}; commit`);
        } catch (error) {
          await writer.query('rollback');
          if (!isDeadlock(error)) throw error; // TimescaleDB may refuse a late point while it drops its chunk
        }
      }
    };
    const askSome = async (count: number) => {
      for (let n = 0; n < count; n++) await ask();
    };
    const each = Math.ceil(QUESTIONS / (DAYS - LEFT + 1));
    for (let present = 0; present < DAYS - LEFT; present++) {
      const touched = new Set<number>();
      const change = async (days: readonly number[]) => {
        const { day, texts } = someChange(present, days);
        await write(texts);
        touched.add(day);
      };
      const all = Array.from({ length: DAYS }, (_, day) => day);
      for (let n = 0; n < 4; n++) await change(all);
      if (random() < 0.5) await refreshRollups(test.sql, 100_000);
      await test.sql(`update audio_data_refreshes set raw_retention = (now() - '${instant((present + 1) * DAY)}')::text,
        removed_until = '${instant(present * DAY)}'`);
      let isRemoving = true;
      const remove = async () => {
        while (isRemoving) {
          const [{ removed }] = await test.sql('select audio_data_remove_old(0) as removed');
          isRemoving = removed !== 0;
          await sleep(5);
        }
      };
      if (present % 2 === 0) {
        for (const day of touched) await readWitness(day);
        await Promise.all([remove(), askSome(each)]);
      } else {
        const changing = async () => {
          for (let n = 0; n < 12; n++) await change([present]);
        };
        await Promise.all([remove(), changing()]);
        for (const day of touched) await readWitness(day);
        await askSome(each);
      }
    }
    await askSome(each);
    await writer?.end();
    const [{ days }] = await test.sql(
      'select count(*)::int as days from audio_data_history where minutes = 1440',
    );
    expect([days > DAYS / 2, asked >= QUESTIONS]).toEqual([true, true]);
    expect(differences).toEqual([]);
  });
});
