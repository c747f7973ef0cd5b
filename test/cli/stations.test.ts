// Commands that work on one station, and the service that records several.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { LatestOutput } from '../../src/contract/audio.ts';
import { call, serve } from '../in-process.ts';
import { dataFolder } from '../process.ts';
import { file } from '../recorder/run.ts';
import { encode, sine } from '../recorder/sound.ts';
import { addStations } from '../stations.ts';

const RECORD = ['record', '-', '--rate', '8000', '--format', 's16le'] as const;
const TONE = encode('s16', [sine(1000, 0.5)], 8000, 800);
const table = (...rows: string[]) => file(['time,rms_db,frequency_hz,is_silence', ...rows, ''].join('\n'));
const row = (level: number) => `2026-01-01T00:00:00.000000Z,${level},,false`;

async function levels(address: string, station: string): Promise<(number | null)[]> {
  const answer = await fetch(`${address}/stations/${station}/api/v1/audio/latest`);
  return LatestOutput.parse(await answer.json()).points.map(({ rms_db }) => rms_db);
}

const stored = async (args: Parameters<typeof call>[0], variables: Record<string, string>) => {
  const called = call(args, variables);
  expect(await called.ended).toBeUndefined();
  return called.output();
};

it('A command works on its station alone, and does nothing without one', async () => {
  const DATA_DIR = dataFolder();
  await addStations({ DATA_DIR }, { garden: {}, street: {} });
  const refused = async (name: string) =>
    String(await call(['import', table(row(-1)), '--station', name], { DATA_DIR }).ended);
  expect(await refused('Garden')).toContain('must be 1 to 40 letters from a to z');
  expect(await refused('attic')).toContain(
    'There is no station attic: `npm run station -- add attic` makes it',
  );
  const unknown = call([...RECORD, '--station', 'attic'], { DATA_DIR });
  unknown.write(TONE);
  expect(String(await unknown.ended)).toContain('There is no station attic');
  expect(existsSync(join(DATA_DIR, 'spool/stations'))).toBe(false);

  await stored(['import', table(row(-10))], { DATA_DIR });
  await stored(['import', table(row(-20)), '--station', 'garden'], { DATA_DIR });
  const { address } = await serve({ DATA_DIR });
  await stored(['import', table(row(-30)), '--station', 'street'], { DATA_DIR });
  const all = () => Promise.all(['default', 'garden', 'street'].map((name) => levels(address, name)));
  expect(await all()).toEqual([[-10], [-20], [-30]]);
  const removing = [
    'delete',
    '--from',
    '2026-01-01T00:00:00Z',
    '--to',
    '2026-01-02T00:00:00Z',
    '--yes',
  ] as const;
  await stored([...removing, '--station', 'garden'], { DATA_DIR });
  expect(await all()).toEqual([[-10], [], [-30]]);
});

it('Each recorder has a spool of its own, which the service empties, unless the station is gone', async () => {
  const DATA_DIR = dataFolder();
  const service = await serve({ DATA_DIR });
  await addStations({ DATA_DIR }, { garden: {} });
  const recorders = ['default', 'garden'].map((name) => {
    const called = call([...RECORD, '--station', name], { DATA_DIR });
    const sound = setInterval(() => called.feed(TONE), 100);
    onTestFinished(() => clearInterval(sound));
    return called;
  });
  for (const name of ['default', 'garden'])
    await expect.poll(async () => (await levels(service.address, name)).length).toBeGreaterThan(2);
  const spool = join(DATA_DIR, 'spool/stations/garden');
  await service.db.run?.('drop schema garden cascade', []);
  await expect
    .poll(() => readdirSync(spool).filter((name) => name.endsWith('.csv')).length)
    .toBeGreaterThan(2);
  expect(service.output()).toContain('There is no station garden');
  await addStations({ DATA_DIR }, { garden: {} });
  await expect.poll(async () => (await levels(service.address, 'garden')).length).toBeGreaterThan(2);
  for (const recorder of recorders) expect(await recorder.stop()).toBeUndefined();
});

it('The service records several stations, and one that cannot start does not stop the others', async () => {
  const DATA_DIR = dataFolder();
  await addStations({ DATA_DIR }, { garden: {} });
  const SOUND = 'while head -c 1600 /dev/zero; do sleep 0.1; done';
  const { address, output } = await serve(
    { DATA_DIR },
    ...['--record', SOUND, '--record', `garden=${SOUND}`, '--record', `attic=${SOUND}`, '--rate', '8000'],
  );
  for (const name of ['default', 'garden']) {
    await expect.poll(async () => (await levels(address, name)).length).toBeGreaterThan(0);
    const info = await fetch(`${address}/stations/${name}/api/v1/service/info`);
    expect(await info.json()).toMatchObject({ recorder: { running: true } });
  }
  expect(output()).toContain('There is no station attic');
});

const SENSORS = ['--columns', 'time=t,level=v', '--station-by'] as const;
const sensorRow = (sensor: string, second: number, level: number) =>
  `2026-01-01T00:00:0${second}Z,${sensor},${level}`;
const SENSOR_FILE = [
  't,entity,v',
  ...[1, 2].flatMap((n) => [sensorRow('sensor.bed', n, -n), sensorRow('hall', n, -10 * n)]),
];

it('An import stores the lines of each sensor in the station of its name, or of the name that is told', async () => {
  const DATA_DIR = dataFolder();
  const path = file(`${SENSOR_FILE.join('\n')}\n`);
  const refused = async (...args: string[]) =>
    String(await call(['import', path, ...args], { DATA_DIR, RAW_RETENTION: 'off' }).ended);
  expect(await refused(...SENSORS, 'entity')).toContain('--station-by entity=sensor.bed:bed');
  expect(await refused(...SENSORS, 'entity=sensor.bed:bed')).toContain(
    'There is no station bed, hall: --create',
  );
  expect(await refused(...SENSORS, 'entity=sensor.bed')).toContain(
    '--station-by: "entity=sensor.bed" is not allowed',
  );
  expect(await refused(...SENSORS, 'sensor')).toContain('no column of the header is "sensor"');
  expect(await refused(...SENSORS, 'entity', '--station', 'hall')).toContain('not allowed with --station');
  const args = [...SENSORS, 'entity=sensor.bed:bed', '--create'] as const;
  const shown = await stored(['import', path, ...args, '--dry-run'], { DATA_DIR, RAW_RETENTION: 'off' });
  expect(shown).toContain('Station hall, which would be made:');
  await stored(['import', path, ...args], { DATA_DIR, RAW_RETENTION: 'off' });
  expect(await refused(...args)).toContain('2 of 2 stations are not stored');
  const { address } = await serve({ DATA_DIR, RAW_RETENTION: 'off' });
  expect([await levels(address, 'bed'), await levels(address, 'hall')]).toEqual([
    [-2, -1],
    [-20, -10],
  ]);
});

it('An import that follows a pipe keeps each sensor apart, and leaves out those that are no stations', async () => {
  const DATA_DIR = dataFolder();
  const { address } = await serve({ DATA_DIR, RAW_RETENTION: 'off' });
  const following = call(['import', '-', '--follow', ...SENSORS, 'entity=sensor.bed:bed', '--create'], {
    DATA_DIR,
  });
  following.write(`${[...SENSOR_FILE, sensorRow('No Name', 1, -1)].join('\n')}\n`);
  expect(await following.ended).toBeUndefined();
  expect(following.output()).toContain('--station-by "entity=sensor.bed:bed,No Name:no_name"');
  expect([await levels(address, 'bed'), await levels(address, 'hall')]).toEqual([
    [-2, -1],
    [-20, -10],
  ]);
});
