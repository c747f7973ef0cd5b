// The `station` command, beside a running service.
import { expect, it } from 'vitest';
import { migrateServer } from '../../src/cli/commands.ts';
import { readConfig } from '../../src/cli/config.ts';
import { openSentences } from '../../src/cli/log.ts';
import { migrate } from '../../src/cli/migrate.ts';
import { createStatusLine } from '../../src/cli/status-line.ts';
import { InfoOutput } from '../../src/contract/service.ts';
import { openPglite } from '../../src/db/pglite.ts';
import { newestMigration } from '../../src/db/schema-version.ts';
import { listStations } from '../../src/db/station-schemas.ts';
import { withClient } from '../cluster.ts';
import { arrangements } from '../db/arrangements.ts';
import { connect, describeEachServer } from '../engines.ts';
import { callStation, serve } from '../in-process.ts';
import { dataFolder } from '../process.ts';

const { addRole, database: arranged, open } = arrangements();

const SITE = [
  '--place-name',
  'Elm Street 4',
  '--time-zone',
  'Europe/Vienna',
  '--limits',
  '06-22=55,22-06=45',
];

async function lifeOf(variables: Record<string, string>): Promise<void> {
  const station = (...args: string[]) => callStation(args, variables);
  const { address } = await serve(variables);
  const info = async () =>
    InfoOutput.parse(await (await fetch(`${address}/stations/left/api/v1/service/info`)).json());
  const status = async () => (await fetch(`${address}/stations/left/api/v1/audio/latest`)).status;

  expect(await status()).toBe(404);
  expect(await station('add', 'left', ...SITE)).toBe('The station left is at /stations/left/.\n');
  await expect.poll(status, { timeout: 5000 }).toBe(200);
  expect(await info()).toMatchObject({
    place_name: 'Elm Street 4',
    time_zone: 'Europe/Vienna',
    limits: [{ limit_db: 55 }, { limit_db: 45 }],
    raw_retention: '35 days',
    layout: InfoOutput.parse(await (await fetch(`${address}/api/v1/service/info`)).json()).layout,
  });
  await expect(station('add', 'left')).rejects.toThrow('The station left already exists');
  expect(await station('list')).toBe('default\t/\nleft\t/stations/left/\tElm Street 4\n');
  await station('set', 'left', '--place-name', 'none', '--calibration-offset-db', '94.5');
  await expect(station('set', 'left', '--raw-retention', '3 days')).rejects.toThrow(
    'must be more than 30 days',
  );
  expect(await station('show', 'left')).toContain('place_name: none\ntime_zone: Europe/Vienna\n');
  await expect.poll(async () => (await info()).calibration_offset_db, { timeout: 10_000 }).toBe(94.5);
  await station('set', 'left', '--assess', 'hour', '--uncertainty-db', '2.5', '--min-measured-percent', '75');
  const record = ['--microphone', 'UMIK-1, "7001234"', '--height-m', '4.5', '--operator', "Müller's"];
  await station('set', 'left', ...record);
  await station('set', 'left', '--operator', 'none', '--sound-card', '-', '--height-m', '4');
  expect(await station('show', 'left')).toContain(
    'position: none\nheight_m: 4\nfacade_distance_m: none\nmicrophone: UMIK-1, "7001234"\nsound_card: -\n' +
      'calibrator: none\nwindscreen: none\noperator: none\n',
  );
  await expect.poll(info, { timeout: 10_000 }).toMatchObject({
    assess: 'hour',
    uncertainty_db: 2.5,
    min_measured_percent: 75,
    measurement: { microphone: 'UMIK-1, "7001234"', height_m: 4, operator: null, sound_card: '-' },
  });
  await expect(station('remove', 'left')).rejects.toThrow('--yes removes the station left with 0 points');
  expect(await status()).toBe(200);
  expect(await station('remove', 'left', '--yes')).toContain('Removed the station left with 0 points');
  expect(await status()).toBe(404);
  await expect(station('show', 'left')).rejects.toThrow('There is no station left');
}

it('shows and changes the default station of the embedded database while a service holds it', async () => {
  await lifeOfDefault({ DATA_DIR: dataFolder() });
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

it('creates, changes and removes a station of the embedded database while a service holds it', async () => {
  await lifeOf({ DATA_DIR: dataFolder(), TIME_ZONE: 'UTC' });
});

const MACHINE_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** @param variables name a database whose default station has no settings */
async function lifeOfDefault(variables: Record<string, string>): Promise<void> {
  const own = { ...variables, PLACE_NAME: 'Elm Street 4' };
  const { address, stop } = await serve(own);
  const station = (...args: string[]) => callStation(args, own);
  const read = async () => InfoOutput.parse(await (await fetch(`${address}/api/v1/service/info`)).json());
  expect(await read()).toMatchObject({ place_name: 'Elm Street 4', time_zone: MACHINE_ZONE, limits: [] });
  expect(await station('show', 'default')).toMatch(/^place_name: none\ntime_zone: none\nlimits: none\n/);
  const set = await station('set', 'default', '--place-name', 'Oak Street', '--assess', 'hour');
  expect(set).toMatch(/^Saved\. .* PLACE_NAME .*\n$/);
  const place = ['--time-zone', 'Asia/Kolkata', '--limits', '22-06=45', '--operator', 'Ms Day'];
  expect(await station('set', 'default', ...place)).toBe('');
  const changed = { assess: 'hour', time_zone: 'Asia/Kolkata', measurement: { operator: 'Ms Day' } };
  await expect.poll(read, { timeout: 10_000 }).toMatchObject({
    ...changed,
    place_name: 'Elm Street 4',
    limits: [{ start: '22:00', end: '06:00', limit_db: 45 }],
  });
  expect(await station('list')).toBe('default\t/\tOak Street\n');
  await station('set', 'default', '--time-zone', 'none');
  await stop();
  const again = await serve(own);
  await expect.poll(again.output).toContain('variables hide: PLACE_NAME');
  const info = await fetch(`${again.address}/api/v1/service/info`);
  expect(await info.json()).toMatchObject({ time_zone: MACHINE_ZONE, assess: 'hour' });
}

it.each([
  ['public', 'must be 1 to 40 letters'],
  ['default', 'The default station always exists'],
  ['Garden', 'must be 1 to 40 letters'],
  ['a"; drop table audio_data; --', 'must be 1 to 40 letters'],
])('refuses the name %s', async (name, reason) => {
  await expect(callStation(['add', name], { DATA_DIR: dataFolder() })).rejects.toThrow(reason);
});

it('refuses a wrong measurement record, and wrong rules', async () => {
  const wrong = [
    '--assess',
    'none',
    '--uncertainty-db',
    '21',
    '--min-measured-percent',
    '101',
    '--height-m',
    'x',
  ];
  const long = ['--microphone', 'x'.repeat(201)];
  await expect(callStation(['add', 'a', ...wrong, ...long], { DATA_DIR: dataFolder() })).rejects.toThrow(
    /^--assess: .*\n--uncertainty-db: .*\n--min-measured-percent: .*\n--height-m: .*\n--microphone: .*$/,
  );
});

it('refuses control characters in texts, and escapes those that a table holds', async () => {
  const variables = { DATA_DIR: dataFolder() };
  for (const text of ['a\u001b[31mb', 'a\nb', 'a\u202eb', '\u009b2J'])
    for (const option of ['--place-name', '--operator'])
      await expect(callStation(['add', 'a', option, text], variables)).rejects.toThrow(
        `${option}: must have at most`,
      );
  await callStation(['add', 'a'], variables);
  const db = await openPglite({ dataDir: variables.DATA_DIR });
  await db.run(`update a.audio_data_station set place_name = $1`, ['Elm\u001b[31m\n\u202eStreet']);
  await db.close();
  const escaped = 'Elm\\u001b[31m\\u000a\\u202eStreet';
  expect(await callStation(['list'], variables)).toBe(`default\t/\na\t/stations/a/\t${escaped}\n`);
  expect(await callStation(['show', 'a'], variables)).toContain(`place_name: ${escaped}\n`);
});

it('refuses wrong settings by their options, all at once', async () => {
  const wrong = ['--limits', '25-26=1', '--time-zone', 'Mars', '--writer', 'x', '--raw-retention', 'ever'];
  await expect(callStation(['add', 'a', ...wrong], { DATA_DIR: dataFolder() })).rejects.toThrow(
    /^--time-zone: .*\n--limits: .*\n--raw-retention: .*\n--writer: .*$/,
  );
  const writer = callStation(['add', 'a', '--writer', 'x'], { DATA_DIR: dataFolder() });
  await expect(writer).rejects.toThrow('--writer: needs a server');
});

describeEachServer('station', (_, server) => {
  const database = async () => (await arranged(server, server.template)).url;

  it('creates, changes and removes a station while a service runs', async () => {
    await lifeOf({ DATABASE_URL: await database(), TIME_ZONE: 'UTC' });
  });

  it('shows and changes the default station while a service runs', async () => {
    await lifeOfDefault({ DATABASE_URL: await database() });
  });

  it('lets a writer store in the default station', async () => {
    const url = await database();
    const name = `writer_${process.pid}_${server.template}_default`;
    const said = await callStation(['set', 'default', '--writer', name], { DATABASE_URL: url });
    const writer = Object.assign(new URL(url), { username: name, password: said.trim() });
    await withClient(writer.href, (client) => client.query('insert into audio_data (time) values (now())'));
    expect(await callStation(['show', 'default'], { DATABASE_URL: url })).toContain('points: 1\n');
    await withClient(url, (client) => client.query(`drop owned by "${name}"; drop role "${name}"`));
  });

  it('writes former variables to the settings of the default station at the first migration, once', async () => {
    const { url: DATABASE_URL } = await arranged(server);
    const lines: string[] = [];
    const log = openSentences(
      'info',
      (text) => text,
      (line) => lines.push(line),
    );
    const terminal = createStatusLine({ write: () => {} });
    const ended = () => new AbortController().signal;
    for (const assess of ['hour', '15m'])
      await migrateServer({
        config: readConfig({ DATABASE_URL, ASSESS: assess, OPERATOR: 'Ms Day', LIMITS: '0-24=50' }),
        log,
        terminal,
        version: 'test',
        ended,
      });
    expect(lines.filter((line) => line.startsWith('Wrote'))).toEqual([
      'Wrote assess, operator to the settings of the default station',
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
      'points: 1\noldest: 2026-01-01',
    );
  });

  it('migrates every station, and names those that it cannot migrate', async () => {
    const DATABASE_URL = await database();
    for (const name of ['broken', 'garden']) await callStation(['add', name], { DATABASE_URL });
    await withClient(DATABASE_URL, (client) =>
      client.query(`alter table broken.audio_data_refreshes rename to gone;
        delete from garden.__drizzle_migrations where created_at = ${newestMigration()}`),
    );
    const lines: string[] = [];
    const terminal = createStatusLine({ write: (text) => lines.push(text) });
    const log = openSentences('error', (text) => text, terminal.say);
    const environment = { config: readConfig({ DATABASE_URL }), log, terminal, version: 'test' };
    const ended = () => new AbortController().signal;
    await expect(migrateServer({ ...environment, ended })).rejects.toThrow('could not be migrated: broken');
    expect(lines.join('')).toMatch(/^Error: The station broken could not be migrated/);
    const migrated = await withClient(DATABASE_URL, (client) =>
      client.query('select max(created_at)::float8 as newest from garden.__drizzle_migrations'),
    );
    expect(migrated.rows).toEqual([{ newest: newestMigration() }]);
    await migrateServer({ ...environment, ended }, 'garden');
    await expect(migrateServer({ ...environment, ended }, 'none')).rejects.toThrow(
      'There is no station none',
    );
  });

  it('lets readers of the default station read a new one, and its writer store only there', async () => {
    const url = await database();
    const reader = await addRole(url, `reader_${process.pid}_${server.template}`);
    const name = `writer_${process.pid}_${server.template}`;
    await withClient(url, async (client) => {
      await client.query(
        `grant usage on schema public to ${reader.quoted}; grant select on audio_data_totals to ${reader.quoted}`,
      );
    });
    const said = await callStation(['add', 'garden', '--writer', name], { DATABASE_URL: url });
    const asReader = await connect(reader.url);
    await asReader.query('select from garden.audio_data, garden.audio_data_station');
    await expect(asReader.query('insert into garden.audio_data (time) values (now())')).rejects.toThrow(
      'permission denied',
    );
    await asReader.end();
    const writer = new URL(url);
    [writer.username, writer.password] = [
      name,
      said.split('\n').find((line) => /^[\w-]{32}$/.test(line)) ?? '',
    ];
    expect(writer.password).not.toBe('');
    const asWriter = await connect(writer.href);
    await asWriter.query('insert into garden.audio_data (time) values (now())');
    await expect(asWriter.query('select from public.audio_data')).rejects.toThrow('permission denied');
    await asWriter.end();
    await withClient(url, (client) => client.query(`drop owned by "${name}"; drop role "${name}"`));
  });
});
