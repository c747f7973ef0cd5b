// A table whose points keep changing, to test that the statistics are exact.
import type pg from 'pg';

/** The time of the first point, midnight UTC. The points span twelve days. */
export const START = Date.parse('2026-02-01T00:00:00Z');
export const DAYS = 12;

/** The half hours of each day that have points. Each takes time to count, so tests use few, and soaks use all. */
export const FEW = [0, 6, 7, 24, 47];
export const ALL = Array.from({ length: 48 }, (_, n) => n);

/**
 * SQL that inserts the same points each time, with nulls, gaps, equal points, points at the floor and points far in the
 * future. None is louder than -0.1 dB.
 */
export const pointsIn = (halfHours: readonly number[]) => `
  select setseed(0.5);
  insert into audio_data
  select time,
    case when n % 17 > 0 then greatest(-50, -0.1 - 55 * random()) end, case when n % 13 > 0 then 100 + (random() * 40)::int * (n % 5) end,
    n % 7 = 0
  from generate_series(0, ${Math.floor((DAYS * 86_400) / 43.456789)}) n, lateral (select '2026-02-01Z'::timestamptz + n * interval '43.456789 s') at (time)
  where n % 1000 > 20 and floor(extract(epoch from time) / 1800)::int % 48 in (${halfHours.join()});
  insert into audio_data select time, rms_db, frequency_hz, is_silence from audio_data where random() < 0.05;
  insert into audio_data values ('2030-01-01Z', -1, 440, false), ('2030-01-01Z', -2, 441, false)`;

/** SQL that gives even days with few points all rollups. */
export const DENSE_DAYS = 'update audio_data_refreshes set sparse_below = 2';

/** Moves some chunks to the columnstore. */
export const toColumnstore = `select compress_chunk(c) from show_chunks('audio_data', older_than => '2026-02-06Z'::timestamptz) c`;

/** Changes points of these half hours at random, each kind of change in turn. */
export function changes(chance: () => number, halfHours: readonly number[]) {
  let [changed, plainChanged] = [0, 0];
  const random = (below: number) => Math.floor(chance() * below);
  const some = () => {
    const half = 48 * random(DAYS) + (halfHours[random(halfHours.length)] ?? 0);
    return new Date(START + half * 1_800_000 + random(1_800_000)).toISOString();
  };
  const within = (at: string, length: string) =>
    `time >= '${at}' and time < '${at}'::timestamptz + interval '${length}'`;

  /** Makes one change to the points, or to the chunks of a hypertable. */
  async function change(owner: pg.Client): Promise<void> {
    const chunk = `(select c from show_chunks('audio_data') c order by random() limit 1)`;
    const deeds = [
      plainChange(),
      plainChange(),
      `select compress_chunk(${chunk}, true)`,
      plainChange(),
      'select audio_data_refresh(20000)',
      `select decompress_chunk(${chunk}, true)`,
    ];
    await owner.query(deeds[changed++ % deeds.length] ?? '').catch((error) => {
      if (error.code === undefined) throw error; // two concurrent changes may refuse each other
    });
  }

  /** One change of the points that works on any database. */
  function plainChange(): string {
    const at = some();
    const point = `${(1 + random(499)) / -10}, ${100 + random(200)}, ${random(2) > 0}`;
    const deeds = [
      `insert into audio_data values ('${at}', ${point})`,
      `insert into audio_data values ('${some()}', ${point}), ('${at}', null, null, true)`,
      `insert into audio_data select '${at}'::timestamptz + n * interval '1 min', ${point} from generate_series(1, 90) n`,
      `update audio_data set rms_db = -0.5 where ${within(at, '40 s')}`,
      // within its day, because TimescaleDB does not move points between chunks; immutable, as Citus requires
      `update audio_data set time = (time at time zone 'UTC' + interval '${at.slice(11) < '12' ? 3 : -3} h') at time zone 'UTC' where ${within(at, '40 s')}`,
      `delete from audio_data where ${within(at, '2 min')}`,
    ];
    return deeds[plainChanged++ % deeds.length] ?? '';
  }

  return { change, plainChange, plainKinds: 6 };
}
