// The `station` command, beside a running service.
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import { migrateServer } from '../../src/cli/commands.ts';
import { migrate } from '../../src/cli/migrate.ts';
import { inSchema } from '../../src/database/in-schema.ts';
import { openPglite } from '../../src/database/pglite.ts';
import { newestMigration } from '../../src/database/schema-version.ts';
import { listStations } from '../../src/database/station-schemas.ts';
import { refreshRollups, runOn } from '../../src/rollups/refresh-rollups.ts';
import { withClient } from '../cluster.ts';
import { arrangements } from '../database/arrangements.ts';
import { connect, describeServer, describeServerOnWire } from '../engines.ts';
import { environmentOf } from '../environment.ts';
import { callStation, serve } from '../in-process.ts';
import { dataFolder, NO_DATABASE } from '../process.ts';

const { addRole, database: arranged, open } = arrangements();

const MACHINE_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;
const SITE = '--time-zone Europe/Vienna --limits 06-22=55,22-06=45'.split(' ');

/** From now on, everything that the service read before has expired. */
function expireReads(): void {
  const now = performance.now.bind(performance);
  const ahead = vi.spyOn(performance, 'now').mockImplementation(() => now() + 10_000);
  onTestFinished(() => ahead.mockRestore());
}

async function lifeOf(variables: Record<string, string>, name = 'left'): Promise<void> {
  const station = (...args: string[]) => callStation(args, variables);
  const list = async () => (await station('list')).replace(/\t127\.0\.0\.1:\d+/, ''); // on Citus
  const { address, info } = await serve(variables);
  const status = async () => (await fetch(`${address}/stations/${name}/api/v1/audio/latest`)).status;

  expect(await status()).toBe(404);
  const added = await station('add', name, '--place-name', 'Elm Street 4', ...SITE);
  expect(added).toBe(`The station ${name} is at /stations/${name}/.\n`);
  await expect.poll(status).toBe(200);
  expect(await info(name)).toMatchObject({
    place_name: 'Elm Street 4',
    time_zone: 'Europe/Vienna',
    limits: [{ limit_db: 55 }, { limit_db: 45 }],
    raw_retention: '35 days',
    layout: (await info()).layout,
  });
  await expect(station('add', name)).rejects.toThrow(`The station ${name} already exists`);
  expect(await list()).toBe(`default\t/\n${name}\t/stations/${name}/\tElm Street 4\n`);
  for (const args of [
    ['set', name],
    ['add', 'right'],
  ])
    await expect(station(...args, '--raw-retention', '3 days')).rejects.toThrow(
      expect.objectContaining({
        code: 'BAD_REQUEST',
        message: expect.stringMatching(/^--raw-retention is '3 days', .* more than 30 days/),
      }),
    );
  const judged = '--assess hour --uncertainty-db 2.5 --min-measured-percent 75'.split(' ');
  await station('set', name, '--place-name', 'none', '--calibration-offset-db', '94.5', ...judged);
  const record = ['--microphone', 'UMIK-1, "7001234"', '--height-m', '4.5', '--operator', "Müller's"];
  await station('set', name, ...record);
  await station('set', name, '--operator', 'none', '--sound-card', '-', '--height-m', '4');
  const hundred = '\u{1f600}'.repeat(100);
  await station('set', name, '--place-name', hundred);
  expect(await list()).toContain(`\t${hundred}\n`);
  for (const blank of ['', '\u200b \u2060']) {
    await station('set', name, '--place-name', blank);
    expect(await list()).toBe(`default\t/\n${name}\t/stations/${name}/\n`);
  }
  expect(await station('show', 'default')).toMatch(
    /\nassess: part\nuncertainty_db: none\nmin_measured_percent: 90\nweighting: none\n/,
  );
  expect(await station('show', name)).toMatch(
    /^place_name: none\ntime_zone: Europe\/Vienna\n[\s\S]*\nposition: none\nheight_m: 4\nfacade_distance_m: none\nmicrophone: UMIK-1, "7001234"\nsound_card: -\ncalibrator: none\nwindscreen: none\noperator: none\n/,
  );
  expireReads();
  await expect
    .poll(() => info(name))
    .toMatchObject({
      place_name: null,
      calibration_offset_db: 94.5,
      assess: 'hour',
      uncertainty_db: 2.5,
      min_measured_percent: 75,
      measurement: { microphone: 'UMIK-1, "7001234"', height_m: 4, operator: null, sound_card: '-' },
    });
  await expect(station('remove', name)).rejects.toThrow(`--yes removes the station ${name} with 0 points`);
  expect(await status()).toBe(200);
  expect(await station('remove', name, '--yes')).toContain(`Removed the station ${name} with 0 points`);
  expect(await status()).toBe(404);
  await expect(station('show', name)).rejects.toThrow(`There is no station ${name}`);
}

it('creates, changes and removes a station of the embedded database while a service holds it', async () => {
  await lifeOf({ DATA_DIR: dataFolder(), TIME_ZONE: 'UTC' });
});

it('writes former variables to the settings of the default station at the first start, once', async () => {
  const variables = { DATA_DIR: dataFolder() };
  const former = { ASSESS: 'hour', MICROPHONE: 'UMIK-1', UNCERTAINTY_DB: 'x', PLACE_NAME: 'Elm Street 4' };
  const { output, stop } = await serve({ ...variables, ...former });
  expect(output()).toContain('Wrote assess, microphone to the settings of the default station');
  await stop();
  const again = await serve({ ...variables, ASSESS: '15m' });
  expect(again.output()).not.toContain('Wrote');
  expect(await callStation(['show', 'default'], variables)).toMatch(
    /^place_name: none\n[\s\S]*assess: hour\nuncertainty_db: none\n[\s\S]*microphone: UMIK-1\n/,
  );
});

it('escapes control characters that a table holds', async () => {
  const variables = { DATA_DIR: dataFolder() };
  const db = await openPglite({ dataDir: variables.DATA_DIR });
  await db.run('insert into audio_data_station (place_name) values ($1)', ['Elm\u001b[31m\n\u202eStreet']);
  await db.close();
  const escaped = 'Elm\\u001b[31m\\u000a\\u202eStreet';
  expect(await callStation(['list'], variables)).toBe(`default\t/\t${escaped}\n`);
  expect(await callStation(['show', 'default'], variables)).toContain(`place_name: ${escaped}\n`);
});

async function rolesOf(url: string, suffix: string): Promise<void> {
  const reader = await addRole(url, `reader_${process.pid}_${suffix}`);
  const name = `writer_${process.pid}_${suffix}`;
  await withClient(url, (client) =>
    client.query(
      `grant usage on schema public to ${reader.quoted}; grant select on audio_data_totals to ${reader.quoted}`,
    ),
  );
  const said = await callStation(['add', 'garden', '--writer', name], { DATABASE_URL: url });
  const asReader = await connect(reader.url);
  await asReader.query('select from garden.audio_data, garden.audio_data_station');
  await expect(asReader.query('insert into garden.audio_data (time) values (now())')).rejects.toThrow(
    'permission denied',
  );
  await asReader.end();
  const password = said.split('\n').find((line) => /^[\w-]{32}$/.test(line));
  const writer = Object.assign(new URL(url), { username: name, password });
  const asWriter = await connect(writer.href);
  await asWriter.query('insert into garden.audio_data (time) values (now())');
  await expect(asWriter.query('select from public.audio_data')).rejects.toThrow('permission denied');
  await asWriter.end();
  await withClient(url, (client) => client.query(`drop owned by "${name}"; drop role "${name}"`));
}

const CONTROLS = ['a\u001b[31mb', 'a\nb', 'a\u202eb', '\u009b2J'];
it.each<[args: string[], reason: string | RegExp]>([
  ...['public', 'Garden', 'a"; drop table audio_data; --'].map((name): [string[], string] => [
    [name],
    'must be 1 to 40 letters',
  ]),
  [['default'], 'The default station always exists'],
  ...['--place-name', '--operator'].flatMap((option) =>
    CONTROLS.map((text): [string[], string] => [['a', option, text], `${option}: must have at most`]),
  ),
  [
    ['a', ...'--assess none --uncertainty-db 21 --min-measured-percent 101 --height-m x'.split(' ')],
    /^--assess: .*\n--uncertainty-db: .*\n--min-measured-percent: .*\n--height-m: .*$/,
  ],
  [['a', '--microphone', 'x'.repeat(201)], /^--microphone: .*200/],
  [['a', '--writer', 'b\nc'], '--writer'],
  [['a', '--writer', '\u00e4'.repeat(32)], '--writer'],
  [
    ['a', ...'--limits 25-26=1 --time-zone Mars --raw-retention ever'.split(' ')],
    /^--time-zone: .*\n--limits: .*\n--raw-retention: .*$/,
  ],
])('refuses to add %j before it opens the database, and names every wrong option', async (args, reason) => {
  const added = callStation(['add', ...args], { DATABASE_URL: NO_DATABASE });
  await expect(added).rejects.toThrow(reason);
});

it('refuses a writer of an embedded database', async () => {
  await expect(callStation(['add', 'a', '--writer', 'x'], {})).rejects.toThrow('--writer: needs a server');
});

// with the policies of a station
describeServer('timescale', 'station', (_, server) => {
  it('creates, changes and removes a station while a service runs', async () => {
    await lifeOf({ DATABASE_URL: (await arranged(server, server.template)).url, TIME_ZONE: 'UTC' });
  });
});

describeServer('citus', 'station', (_, server) => {
  const cluster = () => arranged(server, server.template);

  it('creates, changes and removes a station while a service runs', async () => {
    await lifeOf({ DATABASE_URL: (await cluster()).url, TIME_ZONE: 'UTC' }, 'garden');
  });

  it('lets readers of the default station read a new one, and its writer store only there', async () => {
    await rolesOf((await cluster()).url, server.template);
  });

  it('lies on a server, and cannot have a word of SQL as its name', async () => {
    const { url, owner } = await cluster();
    await callStation(['add', 'garden'], { DATABASE_URL: url });
    await expect(callStation(['add', 'left'], { DATABASE_URL: url })).rejects.toThrow(
      'left cannot name a station',
    );
    const list = await callStation(['list'], { DATABASE_URL: url });
    expect(list).toMatch(/^default\t\/\ngarden\t\/stations\/garden\/\t127\.0\.0\.1:\d+\n$/);
    expect(list).not.toContain(new URL(url).port);
    await owner.query('update pg_dist_node set nodeport = groupid where groupid > 0');
    await expect(callStation(['list'], { DATABASE_URL: url })).rejects.toThrow(
      /No answer from 127\.0\.0\.1:[12]$/,
    );
  });

  it('lists the stations of a server that does not answer, and asks it once', async () => {
    const { url, owner } = await cluster();
    const stations = ['garden', 'attic', 'pier']; // two of them on the same worker
    for (const station of stations) await callStation(['add', station], { DATABASE_URL: url });
    const list = await callStation(['list'], { DATABASE_URL: url });
    const [, host = ''] = /(127\.0\.0\.1:\d+)\n.*\1/s.exec(list) ?? [];
    const away = stations.filter((station) => list.includes(`/${station}/\t${host}`));
    const settings = away.map((station) => `${station}.audio_data_station`);
    await owner.query(`begin; lock table ${settings.join()} in access exclusive mode`);
    const listing = callStation(['list'], { DATABASE_URL: url, QUERY_TIMEOUT_MS: '1000' });
    const failed = expect(listing).rejects.toThrow(`No answer from ${host}`);
    const asked = new Set<string>();
    for (let isOver = false; !isOver; ) {
      const { rows } = await owner.query('select relation::regclass from pg_locks where not granted');
      for (const { relation } of rows) asked.add(relation);
      isOver = await Promise.race([listing.then(Boolean, () => true), sleep(100, false)]);
    }
    await failed;
    expect(away).toHaveLength(2);
    expect([...asked]).toHaveLength(1);
  });

  it('is migrated on its server, by migrations that change its functions too', async () => {
    const { url, owner } = await cluster();
    await callStation(['add', 'garden'], { DATABASE_URL: url });
    const bodies = async () =>
      (
        await owner.query(`select proname, prosrc from pg_proc
          where pronamespace = 'garden'::regnamespace and proname <> 'audio_data_remove_old' order by 1`)
      ).rows;
    const before = await bodies();
    await owner.query(`delete from garden.__drizzle_migrations where created_at = ${newestMigration()}`);
    await migrateServer(environmentOf({ DATABASE_URL: url }, 'error').environment, 'garden');
    expect(await bodies()).toEqual(before);
    const removed = await owner.query(
      'select garden.audio_data_remove_old(0) as n from garden.audio_data_refreshes',
    );
    expect(removed.rows).toEqual([{ n: 0 }]);
  });

  it('moves to another server while points are stored and read, and nothing is counted again', async () => {
    const { url, owner } = await cluster();
    const station = (...args: string[]) => callStation(args, { DATABASE_URL: url });
    const serverOf = async () => /garden\/\t\S+:(\d+)/.exec(await station('list'))?.[1];
    await station('add', 'garden');
    await owner.query(`insert into garden.audio_data (time, rms_db)
      select '2026-01-01Z'::timestamptz + n * interval '10 s', -10 - n % 30 from generate_series(0, 49999) n`);
    const db = inSchema(open(url, { poolWaitMs: 20_000 }), 'garden', () => new Error('The station is gone'));
    await refreshRollups(runOn(db), 1_000_000);
    const counted = async () =>
      (
        await owner.query(
          'select count(*)::int as n, max(counted_at) as at from garden.audio_data_histograms',
        )
      ).rows;
    const [before, from] = [await counted(), await serverOf()];
    const moving = new AbortController();
    let stored = 50_000;
    const storing = (async () => {
      for (; !moving.signal.aborted; stored++)
        await owner.query(`insert into garden.audio_data (time, rms_db) values ('2026-03-01Z', -20)`);
    })();
    const reader = await connect(url);
    const reading = (async () => {
      while (!moving.signal.aborted)
        await reader.query('select from garden.audio_data order by time desc limit 9');
      await reader.end();
    })();
    await station('move', 'garden').finally(() => moving.abort());
    await Promise.all([storing, reading]);
    const { rows } = await owner.query('select count(*)::int as n from garden.audio_data');
    expect(rows).toEqual([{ n: stored }]);
    expect(stored).toBeGreaterThan(50_001);
    const ports = server.workers?.map((worker) => new URL(worker).port);
    const to = await serverOf();
    expect([from, to].sort()).toEqual(ports?.sort());
    const history = await counted();
    expect(history).toEqual(before);
    await refreshRollups(runOn(db), 1_000_000);
    const since = await owner.query(
      'select count(*)::int as n from garden.audio_data_histograms where counted_at > $1 and seconds = 1800',
      [before[0].at],
    );
    expect(since.rows).toEqual([{ n: 0 }]); // the day of the new points is sparse
    await expect(station('move', 'garden', '--to', 'elsewhere')).rejects.toThrow(
      `is on 127.0.0.1:${to}, and can move to 127.0.0.1:${from}`,
    );
  });
});

describeServerOnWire('station', (_, server) => {
  const database = async () => (await arranged(server, server.template)).url;

  it('shows and changes the default station while a service runs', async () => {
    const own = { DATABASE_URL: await database(), PLACE_NAME: 'Elm Street 4' };
    const { info, stop } = await serve(own);
    const station = (...args: string[]) => callStation(args, own);
    expect(await info()).toMatchObject({ place_name: 'Elm Street 4', time_zone: MACHINE_ZONE, limits: [] });
    expect(await station('show', 'default')).toMatch(/^place_name: none\ntime_zone: none\nlimits: none\n/);
    const set = await station('set', 'default', '--place-name', 'Oak Street', '--assess', 'hour');
    expect(set).toMatch(/^Saved\. .* PLACE_NAME .*\n$/);
    const place = ['--time-zone', 'Asia/Kolkata', '--limits', '22-06=45', '--operator', 'Ms Day'];
    expect(await station('set', 'default', ...place)).toBe('');
    expireReads();
    await expect
      .poll(() => info())
      .toMatchObject({
        place_name: 'Elm Street 4',
        assess: 'hour',
        time_zone: 'Asia/Kolkata',
        limits: [{ start: '22:00', end: '06:00', limit_db: 45 }],
        measurement: { operator: 'Ms Day' },
      });
    expect(await station('list')).toBe('default\t/\tOak Street\n');
    await station('set', 'default', '--time-zone', 'none');
    await stop();
    const again = await serve(own);
    await expect.poll(again.output).toContain('variables hide: PLACE_NAME');
    expect(await again.info()).toMatchObject({ time_zone: MACHINE_ZONE, assess: 'hour' });
  });

  it('lets a writer store in the default station', async () => {
    const url = await database();
    const name = `writer_${process.pid}_${server.template}_default`;
    const said = await callStation(['set', 'default', '--writer', name], { DATABASE_URL: url });
    const password = said.split('\n').find((line) => /^[\w-]{32}$/.test(line));
    const writer = Object.assign(new URL(url), { username: name, password });
    await withClient(writer.href, (client) => client.query('insert into audio_data (time) values (now())'));
    expect(await callStation(['show', 'default'], { DATABASE_URL: url })).toContain('points: 1\n');
    await withClient(url, (client) => client.query(`drop owned by "${name}"; drop role "${name}"`));
  });

  it('writes former variables to the settings of the default station at the first migration, once', async () => {
    const { url: DATABASE_URL } = await arranged(server);
    const runs = ['hour', '15m'].map((ASSESS) =>
      environmentOf({ DATABASE_URL, ASSESS, OPERATOR: 'Ms Day', LIMITS: '0-24=50' }, 'info'),
    );
    for (const { environment } of runs) await migrateServer(environment);
    expect(runs.map(({ output }) => output().match(/^Wrote .*/gm))).toEqual([
      ['Wrote assess, operator to the settings of the default station'],
      null,
    ]);
    expect(await callStation(['show', 'default'], { DATABASE_URL })).toMatch(
      /limits: none\n[\s\S]*assess: hour\n[\s\S]*operator: Ms Day\n/,
    );
  });

  it("takes another connection's default station for no station, though it has settings", async () => {
    const { url, owner } = await arranged(server);
    await owner.query('create schema own');
    const DATABASE_URL = `${url}?options=-c%20search_path%3Down`;
    await migrate({ url: DATABASE_URL });
    await callStation(['set', 'default', '--place-name', 'Elm Street 4'], { DATABASE_URL });
    await callStation(['add', 'garden'], { DATABASE_URL });
    expect(await callStation(['list'], { DATABASE_URL })).toBe(
      'default\t/\tElm Street 4\ngarden\t/stations/garden/\n',
    );
    expect((await listStations(open(url))).map(({ name }) => name)).toEqual(['garden']);
  });

  it('creates a station once, even if several commands try at the same time', async () => {
    const variables = { DATABASE_URL: await database() };
    const adding = [1, 2, 3].map(() => callStation(['add', 'garden'], variables));
    const ended = await Promise.allSettled(adding);
    expect(ended.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected', 'rejected']);
  });

  it('adopts a schema whose table audio_data has points, and refuses other schemas', async () => {
    const DATABASE_URL = await database();
    await withClient(DATABASE_URL, (client) =>
      client.query(`create schema other; create schema garden; create table garden.audio_data (
        time timestamptz not null, rms_db real, frequency_hz integer, is_silence boolean not null default false);
        insert into garden.audio_data values ('2026-01-01Z', -20, 440, false)`),
    );
    await expect(callStation(['add', 'other'], { DATABASE_URL })).rejects.toThrow(
      'The schema other already exists',
    );
    await callStation(['add', 'garden'], { DATABASE_URL });
    expect(await callStation(['show', 'garden'], { DATABASE_URL })).toContain(
      'points: 1\noldest: 2026-01-01T00:00:00.000000Z\nnewest: 2026-01-01T00:00:00.000000Z\n',
    );
  });

  it('counts the points of a station for longer than a query may take', async () => {
    const { url: DATABASE_URL, owner } = await arranged(server, server.template);
    await owner.query('begin; lock table audio_data in access exclusive mode');
    const unlocked = owner.query('select pg_sleep(1.5)').then(() => owner.query('commit'));
    expect(await callStation(['show', 'default'], { DATABASE_URL, QUERY_TIMEOUT_MS: '1000' })).toContain(
      'points: 0\noldest: none\nnewest: none\n',
    );
    await unlocked;
  });

  it('says how to replace a station that has lost its settings', async () => {
    const { url: DATABASE_URL, owner } = await arranged(server, server.template);
    const station = (...args: string[]) => callStation(args, { DATABASE_URL });
    await station('add', 'garden');
    await owner.query('drop table garden.audio_data_station');
    for (const args of [['show'], ['remove', '--yes']])
      await expect(station(...args, 'garden')).rejects.toThrow('`npm run station -- add garden` creates it');
    await expect(station('add', 'garden')).rejects.toThrow('drop the schema');
    await owner.query('drop schema garden cascade');
    expect(await station('add', 'garden')).toContain('is at /stations/garden/');
  });

  it('migrates every station, and names those that it cannot migrate', async () => {
    const DATABASE_URL = await database();
    for (const name of ['broken', 'garden']) await callStation(['add', name], { DATABASE_URL });
    await withClient(DATABASE_URL, (client) =>
      client.query(`alter table broken.audio_data_refreshes rename to gone;
        delete from garden.__drizzle_migrations where created_at = ${newestMigration()}`),
    );
    const { environment, output } = environmentOf({ DATABASE_URL }, 'error');
    await expect(migrateServer(environment)).rejects.toThrow('could not be migrated: broken');
    expect(output()).toMatch(/^Error: The station broken could not be migrated/);
    const migrated = await withClient(DATABASE_URL, (client) =>
      client.query('select max(created_at)::float8 as newest from garden.__drizzle_migrations'),
    );
    expect(migrated.rows).toEqual([{ newest: newestMigration() }]);
    await migrateServer(environment, 'garden');
    await expect(migrateServer(environment, 'none')).rejects.toThrow('There is no station none');
  });

  it('lets readers of the default station read a new one, and its writer store only there', async () => {
    await rolesOf(await database(), server.template);
  });
});
