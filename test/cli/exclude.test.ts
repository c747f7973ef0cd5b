// The `exclude` command, beside a running service.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { MOST_EXCLUSIONS } from '../../src/contract/exclusions.ts';
import { arrangements } from '../database/arrangements.ts';
import { describeServerOnWire } from '../engines.ts';
import { call, called, callStation, serve } from '../in-process.ts';
import { dataFolder, temporaryFolder } from '../process.ts';
import { file } from '../recorder/run.ts';

const { database: arranged } = arrangements();
const FROM = ['--from', '2026-03-01T14:00:00+01:00'];
const TO = ['--to', '2026-03-01T14:30:00+01:00'];

async function lifeOf(variables: Record<string, string>): Promise<void> {
  const exclude = async (...args: string[]) => {
    const { ended, output } = call(['exclude', ...args], variables);
    const error = await ended;
    if (error) throw error;
    return output();
  };
  await callStation(['add', 'order', '--raw-retention', 'off'], variables);
  const service = await serve(variables);
  const rows = Array.from(
    { length: 60 },
    (_, minute) => `2026-03-01T13:${String(minute).padStart(2, '0')}:00Z,-20,440,false`,
  );
  const points = file(`time,rms_db,frequency_hz,is_silence\n${rows.join('\n')}\n`);
  await called(['import', points, '--station', 'order'], variables);
  const summary = async (station: string) => {
    const hour = 'from=2026-03-01T13:00:00Z&to=2026-03-01T14:00:00Z';
    const { point_count, excluded_seconds } = await service.summary(hour, station);
    return { point_count, excluded_seconds };
  };

  const order = ['--station', 'order'];
  const rain = `rain ${'\u{1f600}'.repeat(195)}`;
  expect(await summary('order')).toEqual({ point_count: 60, excluded_seconds: 0 });
  expect(await exclude('add', ...FROM, ...TO, '--reason', rain, ...order)).toEqual(
    expect.stringMatching(
      /^1\nExclusion 1 of the station order leaves out 30 points, 2026-03-01T13:00:00\.000000Z to 2026-03-01T13:30:00\.000000Z\.\n$/,
    ),
  );
  expect(await summary('order')).toEqual({ point_count: 30, excluded_seconds: 1800 });
  const mower = ['--from', '2026-03-01T13:29:00Z', '--to', '2026-03-01T13:31:00Z', '--by', 'Q'];
  mower.push('--reason', ' Own mower ');
  await exclude('add', ...mower, ...order);
  expect(await summary('order')).toEqual({ point_count: 29, excluded_seconds: 1860 });
  expect(await exclude('list', ...order)).toBe(
    `1\t2026-03-01T13:00:00.000000Z\t2026-03-01T13:30:00.000000Z\t${rain}\n` +
      '2\t2026-03-01T13:29:00.000000Z\t2026-03-01T13:31:00.000000Z\tOwn mower\tQ\n',
  );
  expect(await exclude('list')).toBe(''); // the default station has none
  await expect(exclude('remove', '1')).rejects.toThrow('There is no exclusion 1: `npm run exclude -- list` ');
  await expect(exclude('remove', '7', ...order)).rejects.toThrow(
    'There is no exclusion 7: `npm run exclude -- list --station order` lists them',
  );
  expect(await exclude('remove', '1', ...order)).toBe('Removed exclusion 1 of the station order.\n');
  expect(await summary('order')).toEqual({ point_count: 58, excluded_seconds: 120 });

  for (const name of ['fast', 'order_fast']) await callStation(['add', name], variables);
  const ofDefault = await exclude('add', ...FROM, ...TO, '--reason', 'rain');
  expect(ofDefault).toMatch(
    /^1\nExclusion 1 leaves out 0 points, .*\nExclusion 1 of the station fast leaves out .*\n$/,
  );
  expect(await exclude('add', ...FROM, ...TO, '--reason', 'rain', ...order)).toMatch(
    /^3\nExclusion 3 of the station order leaves out 30 points, .*\nExclusion 1 of the station order_fast leaves out 0 points, .*\n$/,
  );
  const fast = ['--station', 'order_fast'];
  expect(await exclude('add', ...mower, ...fast)).toMatch(/^2\nExclusion 2 of the station order_fast .*\n$/);
  expect(await exclude('remove', '3', ...order)).toBe(
    'Removed exclusion 3 of the station order.\nRemoved exclusion 1 of the station order_fast.\n',
  );
  expect(await exclude('list', ...fast)).toMatch(/^2\t.*\n$/);
  await exclude('remove', '2', ...fast);
  expect(await exclude('remove', '2', ...order)).toBe('Removed exclusion 2 of the station order.\n');
  expect(await exclude('list', '--station', 'fast')).toMatch(/^1\t.*\n$/);
  await expect(exclude('list', '--station', 'attic')).rejects.toThrow('There is no station attic');
}

it('excludes stretches of the embedded database while a service holds it', async () => {
  await lifeOf({ DATA_DIR: dataFolder(), TIME_ZONE: 'UTC' });
});

it('creates no database', async () => {
  const DATA_DIR = join(temporaryFolder(), 'none');
  for (const args of [['list'], ['remove', '1'], ['add', ...FROM, ...TO, '--reason', 'rain']])
    expect(String(await call(['exclude', ...args], { DATA_DIR }).ended)).toContain(
      `There is no database in ${DATA_DIR}: set DATA_DIR`,
    );
  await expect(callStation(['list'], { DATA_DIR })).rejects.toThrow(`There is no database in ${DATA_DIR}`);
  expect(existsSync(DATA_DIR)).toBe(false);
});

it.each<[args: string[], ...facts: string[]]>([
  [['--from', 'yesterday'], '--from', "'yesterday'", 'RFC 3339'],
  [['--from', 'now-999999999999d'], '--from', 'in the years 0001 to 9999'],
  [[...FROM, '--reason', 'rain'], '--to', 'not specified'],
  [['--reason', '\u{1f600}'.repeat(201)], '--reason', '1 to 200 characters'],
  [['--reason', '\u200b'], '--reason', '1 to 200 characters'],
  [['--by', 'a\nb'], '--by', '1 to 100 characters, without control characters'],
])('refuses %j, and names the option and what is allowed', async (args, ...facts) => {
  const message = String(await call(['exclude', 'add', ...args], {}).ended);
  for (const fact of facts) expect(message).toContain(fact);
});

it('refuses an interval that ends before it begins, and an id that is not a number', async () => {
  const empty = ['add', ...TO.with(0, '--from'), ...FROM.with(0, '--to'), '--reason', 'rain'];
  expect(String(await call(['exclude', ...empty], { DATA_DIR: dataFolder() }).ended)).toContain(
    '--from: must be earlier than --to',
  );
  expect(String(await call(['exclude', 'remove', 'x'], { DATA_DIR: dataFolder() }).ended)).toContain(
    "'x' is invalid for argument 'id'. It must be a whole number",
  );
});

describeServerOnWire('exclude', (_, server) => {
  it('excludes stretches while a service runs', async () => {
    await lifeOf({ DATABASE_URL: (await arranged(server, server.template)).url, TIME_ZONE: 'UTC' });
  });

  it('refuses more exclusions than a station or a further level may have', async () => {
    const { url, owner } = await arranged(server, server.template);
    await callStation(['add', 'fast'], { DATABASE_URL: url });
    await owner.query(`insert into fast.audio_data_exclusions (since, until, reason)
      select now() + n * interval '1 min', now() + n * interval '1 min' + interval '30 s', 'wind'
      from generate_series(1, ${MOST_EXCLUSIONS}) n`);
    const added = call(['exclude', 'add', ...FROM, ...TO, '--reason', 'rain'], { DATABASE_URL: url });
    expect(String(await added.ended)).toContain('The station fast has 10,000 exclusions');
    expect(await called(['exclude', 'list'], { DATABASE_URL: url })).toBe('');
  });
});
