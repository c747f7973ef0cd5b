import { expect, it } from 'vitest';
import { recordedAs } from '../../src/recorder/storing/periods/recorded-as.ts';
import { createSegmentStore } from '../../src/recorder/storing/spool/segment-store.ts';
import { createSpoolWriter } from '../../src/recorder/storing/spool/spool-writer.ts';
import { describeEachServer, describeServer, describeServerOnWire } from '../engines.ts';
import { openTestSpool, points } from '../recorder/spool/segments.ts';
import { arrangements } from './arrangements.ts';
import { SNAPSHOT } from './snapshot.ts';

const { empty, open } = arrangements();

const BARE =
  'create table audio_data (time timestamptz, rms_db real, frequency_hz integer, is_silence boolean)';
// from yesterday, because migrate fills the rollups from the first point to now
const POINTS = `insert into audio_data (time, rms_db, frequency_hz, is_silence)
  select date_trunc('day', now()) - interval '1 day' + interval '5 minutes' * n, -50 + n % 51, case when n % 3 > 0 then 100 + n end, n % 2 = 0
  from generate_series(1, 100) n`;
const ALL = 'select time::text, rms_db, frequency_hz, is_silence from audio_data order by time, rms_db';

describeEachServer('An existing audio_data', (engine, server) => {
  const timescale = engine.name === 'TimescaleDB';

  it('keeps every row, and gets missing columns and indexes', async () => {
    const { owner, run, rows, value } = await empty(server);
    await owner.query(BARE);
    await owner.query(POINTS);
    await owner.query(`create table audio_data_periods (since timestamptz primary key, weighting text,
      time_weighting text, reference_db float8, calibration_db float8, interval_ms int, channel text, statistic text,
      instrument text, counts_overload boolean, clock text); insert into audio_data_periods values (now(), 'A', 'slow')`);
    const before = await rows(ALL);
    await run();
    expect(await rows(ALL)).toEqual(before);
    expect(await rows('select statistic from audio_data_periods')).toEqual([{ statistic: null }]);
    expect(await value('select sum(point_count)::int from audio_data_1min')).toBe(100);
    await owner.query(`insert into audio_data (time) values (now())`);
    expect(await value('select is_silence from audio_data order by time desc limit 1')).toBe(false);
    for (const bad of [
      '(null, -1, 440, false)',
      '(now(), 1, 440, false)',
      '(now(), -1, 1, false)',
      '(now(), -1, 440, null)',
    ])
      await expect(owner.query(`insert into audio_data values ${bad}`)).rejects.toMatchObject({
        code: expect.stringMatching(/^235/),
      });
    const index = `from pg_indexes where tablename = 'audio_data' and indexname = 'audio_data_time_idx'`;
    expect(await value(`select indexdef ${index}`)).toBe(
      `CREATE INDEX audio_data_time_idx ON public.audio_data USING btree ("time")`,
    );
    const hypertable = `from timescaledb_information.hypertables where hypertable_name = 'audio_data'`;
    if (timescale) expect(await value(`select compression_enabled ${hypertable}`)).toBe(true);
  });
});

describeServerOnWire('An existing audio_data', (_, server) => {
  it('lets readers of its points read its periods, and writers of points record periods', async () => {
    const { owner, name, run, value, addRole } = await empty(server);
    await owner.query(BARE);
    const [reader, writer] = [await addRole(`reader_${name}`), await addRole(`writer_${name}`)];
    await owner.query(
      `grant select on audio_data to ${reader.quoted}; grant insert on audio_data to ${writer.quoted}`,
    );
    await run();
    const rights = (role: string) =>
      value(`select array(select right_name from unnest(array['select', 'insert', 'update', 'delete', 'truncate']) right_name
        where has_table_privilege('${role}', 'audio_data_periods', right_name))`);
    expect(await rights(`reader_${name}`)).toEqual(['select']);
    expect(await rights(`writer_${name}`)).toEqual(['select', 'insert', 'update', 'delete']);
    const spool = await openTestSpool();
    const as = recordedAs({
      weighting: 'A',
      timeWeighting: undefined,
      referenceDb: 85,
      calibrationDb: 120,
      intervalMs: 1000,
      channel: 'mean',
      isNewPeriod: false,
    });
    const recorder = createSpoolWriter({ spool, as, report: () => {} });
    await recorder.add(points(100, 5));
    await recorder.close();
    await createSegmentStore(open(writer.url), spool, () => {})();
    expect(await value('select weighting from audio_data_periods')).toBe('A');
  });

  it('keeps its own extra columns, indexes and stricter or looser checks', async () => {
    const { owner, run, rows, value } = await empty(server);
    await owner.query(`create table audio_data (id bigint generated always as identity, frequency_hz integer,
      time timestamptz not null primary key, note text, is_silence boolean default true,
      rms_db real check (rms_db < 10), origin text not null default 'mic')`);
    await owner.query(POINTS);
    await run();
    expect(await value(`select count(*)::int from audio_data where origin = 'mic'`)).toBe(100);
    const tooLoud = owner.query('insert into audio_data (time, rms_db) values (now(), 5)');
    await expect(tooLoud).rejects.toMatchObject({ code: '23514' });
    const checks = await rows(
      `select conname from pg_constraint where conrelid = 'audio_data'::regclass and contype = 'c' order by 1`,
    );
    const names = ['frequency_hz_check', 'rms_db_check', 'rms_db_check_contract'];
    expect(checks).toEqual(names.map((name) => ({ conname: `audio_data_${name}` })));
    // the key's index also serves as the time index
    expect(await value(`select count(*)::int from pg_indexes where tablename = 'audio_data'`)).toBe(1);
  });

  const refused: [string, string, string[]][] = [
    [
      'an audio_data_periods of another kind',
      'create table audio_data_periods (since timestamptz, weighting text)',
      ['audio_data_periods already exists, but is not ours: rename or drop it'],
    ],
    [
      'columns that are missing, of another type, or NOT NULL',
      `create table audio_data (time timestamp, rms_db double precision, is_silence boolean, sensor int not null);
       insert into audio_data values (now(), -1, false, 1)`,
      [
        'audio_data.time is timestamp without time zone, but must be timestamp with time zone',
        'audio_data.rms_db is double precision, but must be real',
        'audio_data has no column frequency_hz (integer)',
        'audio_data.sensor is NOT NULL without a default, so no point could be stored',
      ],
    ],
    [
      'rows outside the contract, for every reason at once',
      `${BARE}; insert into audio_data values (null, 1, 440, null), (now(), 'NaN', 50, false), (now(), -51, 9000, false), ('infinity', -1, 440, false)`,
      [
        '1 rows of audio_data have no time',
        '1 rows of audio_data have an infinite time',
        '1 rows of audio_data have no is_silence',
        '3 rows of audio_data have rms_db outside -50 to 0',
        '2 rows of audio_data have frequency_hz outside 100 to 8000',
      ],
    ],
    [
      'a view',
      'create view audio_data as select now() as time',
      ['audio_data is a view, but must be an ordinary table'],
    ],
    [
      'a partitioned table',
      'create table audio_data (time timestamptz) partition by range (time)',
      ['audio_data is a partitioned table, but must be an ordinary table'],
    ],
    [
      'an audio_data_1min of another kind',
      `${BARE}; create table audio_data_1min (bucket timestamptz)`,
      ['audio_data_1min already exists, but is not ours: rename or drop it'],
    ],
    [
      'an index name that is taken',
      `${BARE}; create table other (a int); create index audio_data_time_idx on other (a)`,
      ['the name audio_data_time_idx is taken by something else'],
    ],
  ];
  it('is refused and left unchanged if it does not fit', async () => {
    const { owner, run, rows } = await empty(server);
    for (const [what, arrange, faults] of refused) {
      await owner.query('drop schema public cascade; create schema public');
      await owner.query(arrange);
      const before = await rows(SNAPSHOT);
      const fault: Error = await run().then(
        () => expect.unreachable(what),
        (error) => error,
      );
      expect(fault.message.split('\n- ').slice(1), what).toEqual(faults);
      expect(await rows(SNAPSHOT), what).toEqual(before);
    }
  });

  it('is refused if it belongs to another role', async () => {
    const { owner, run, rows, name, addRole } = await empty(server);
    const { url, quoted } = await addRole(`m_${name}`);
    await owner.query(
      `${BARE}; grant create on schema public to ${quoted}; grant create on database ${name} to ${quoted}`,
    );
    const before = await rows(SNAPSHOT);
    await expect(run({ url })).rejects.toThrow(/belongs to another role/);
    expect(await rows(SNAPSHOT)).toEqual(before);
  });
});

describeServer('timescale', 'An existing hypertable audio_data', (_, server) => {
  it('is accepted, and keeps its chunks, columnstore, keys and policies', async () => {
    const { owner, run, rows, value } = await empty(server);
    for (const text of [
      'create extension timescaledb',
      BARE,
      `select create_hypertable('audio_data', by_range('time', interval '3 days'))`,
      'create unique index mine on audio_data (time, rms_db)',
      `alter table audio_data set (timescaledb.enable_columnstore, timescaledb.orderby = 'time asc')`,
      `call add_columnstore_policy('audio_data', after => interval '9 days')`,
      `select add_retention_policy('audio_data', interval '400 days')`,
      POINTS,
      `select compress_chunk(c) from show_chunks('audio_data') c`,
    ])
      await owner.query(text);
    const before = await rows(ALL);
    await run();
    expect(await rows(ALL)).toEqual(before);
    expect(
      await rows(`select config->>'drop_after' as kept, config->>'compress_after' as columnstore from timescaledb_information.jobs
        where hypertable_name = 'audio_data' order by 1`),
    ).toEqual([{ kept: null, columnstore: '9 days' }]);
    expect(await value('select raw_retention from audio_data_refreshes')).toBe('400 days');
    const dimension = `from timescaledb_information.dimensions where hypertable_name = 'audio_data'`;
    expect(await value(`select time_interval::text ${dimension}`)).toBe('3 days');
    expect(await value('select sum(point_count)::int from audio_data_1min')).toBe(100);
    await expect(owner.query('insert into audio_data values (now(), 5, 440, false)')).rejects.toMatchObject({
      code: '23514',
    });
  });

  it('is refused if its key lacks the time', async () => {
    const { owner, run, rows } = await empty(server);
    await owner.query(BARE);
    await owner.query('alter table audio_data add column id serial primary key');
    const before = await rows(SNAPSHOT);
    await expect(run()).rejects.toThrow(
      'the unique index audio_data_pkey lacks the column time, which a hypertable needs',
    );
    expect(await rows(SNAPSHOT)).toEqual(before);
  });
});
