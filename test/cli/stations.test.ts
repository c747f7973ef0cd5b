// Commands that work on one station, and a service that records several.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { LatestOutput } from '../../src/contract/audio.ts';
import { InfoOutput } from '../../src/contract/service.ts';
import { describeEmbeddedAndOnWire } from '../engines.ts';
import { call, callStation, serve } from '../in-process.ts';
import { dataFolder, temporaryFolder } from '../process.ts';
import { recording, tone } from '../recorder/calibrator.ts';
import { file } from '../recorder/run.ts';
import { encode, sine, wav } from '../recorder/sound.ts';
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

const SENSORS = ['--columns', 'time=t,level=v', '--station-by'] as const;
const sensorRow = (sensor: string, second: number, level: number) =>
  `2026-01-01T00:00:0${second}Z,${sensor},${level}`;
const SENSOR_FILE = [
  't,entity,v',
  ...[1, 2].flatMap((n) => [sensorRow('sensor.bed', n, -n), sensorRow('hall', n, -10 * n)]),
];

describeEmbeddedAndOnWire('Stations', ({ name, open }) => {
  const spool = name === 'PGlite' ? 'spool' : 'spool-server';

  /** Creates a database. @returns the environment variables that select it */
  async function ownDatabase(): Promise<{ DATA_DIR: string; RAW_RETENTION: string; DATABASE_URL?: string }> {
    const at = { DATA_DIR: dataFolder(), RAW_RETENTION: 'off' };
    if (name === 'PGlite') return at;
    const { url = '', close } = await open();
    onTestFinished(close);
    return { ...at, DATABASE_URL: url };
  }

  it('A command works only on its station, and does nothing if that station is missing', async () => {
    const at = await ownDatabase();
    const { address } = await serve(at);
    await addStations(at, { garden: {}, street: {} });
    const refused = async (name: string) =>
      String(await call(['import', table(row(-1)), '--station', name], at).ended);
    expect(await refused('Garden')).toContain('must be 1 to 40 letters from a to z');
    expect(await refused('attic')).toContain(
      'There is no station attic: `npm run station -- add attic` makes it',
    );
    const unknown = call([...RECORD, '--station', 'attic'], at);
    unknown.write(TONE);
    expect(String(await unknown.ended)).toContain('There is no station attic');
    expect(existsSync(join(at.DATA_DIR, spool, 'stations'))).toBe(false);

    await stored(['import', table(row(-10))], at);
    await stored(['import', table(row(-20)), '--station', 'garden'], at);
    await stored(['import', table(row(-30)), '--station', 'street'], at);
    const all = () => Promise.all(['default', 'garden', 'street'].map((name) => levels(address, name)));
    await expect.poll(all).toEqual([[-10], [-20], [-30]]);
    const day = ['--from', '2026-01-01T00:00:00Z', '--to', '2026-01-02T00:00:00Z'] as const;
    await stored(['delete', ...day, '--yes', '--station', 'garden'], at);
    expect(await all()).toEqual([[-10], [], [-30]]);
  });

  it('Recorders and the service warn once about limits below the recorded range', async () => {
    const at = { ...(await ownDatabase()), LIMITS: '06-22=70.1,22-06=45' };
    const limits = '22-06=40';
    const before = await serve(at); // so that no command opens the embedded database again
    await addStations(at, {
      garden: { limits, calibration_offset_db: 95 },
      street: { limits, calibration_offset_db: 89 },
      attic: { limits },
    });
    const warning = (floor: number, of: string, reference: number) =>
      `Levels below ${floor} dB are stored as ${floor} dB, so stats.limits cannot compare quiet times with ${of}. Record with \`--reference-db ${reference}\` or less`;
    const own = warning(70, '22:00-06:00=45', 85);
    const [high, low] = [
      ['--reference-db', '120', '--calibration', '120'] as const,
      ['--reference-db', '94', '--calibration', '120'] as const,
    ];
    const said = async (...args: string[]) => {
      const called = call([...RECORD, ...args], at);
      called.write(TONE);
      expect(await called.ended).toBeUndefined();
      return called
        .output()
        .split('\n')
        .filter((line) => line.includes('stats.limits'));
    };
    expect(await said(...low)).toEqual([]);
    expect(await said(...high, '--new-period')).toEqual([`Warning: ${own}.`]);
    const sound = file(wav(TONE));
    const stored = call(
      ['record', sound, '--start', '2026-01-01T00:00:00Z', '--station', 'street', ...high],
      at,
    );
    expect(await stored.ended).toBeUndefined();
    expect(stored.output()).toContain(`Warning: ${warning(70, '22:00-06:00=40', 80)}.\n`);

    await before.stop();
    const service = await serve(at);
    const warnings = () =>
      service
        .output()
        .split('\n')
        .flatMap((line) => /"msg":"([^"]*stats\.limits[^"]*)"/.exec(line)?.[1] ?? []);
    await expect.poll(warnings).toHaveLength(3);
    expect(warnings()).toEqual([
      own,
      `garden: ${warning(45, '22:00-06:00=40', 80)}`,
      `street: ${warning(70, '22:00-06:00=40', 80)}`,
    ]);
  });

  it('Each recorder has its own spool, which is emptied as soon as its station exists', async () => {
    const at = await ownDatabase();
    const service = await serve(at);
    await addStations(at, { garden: {} });
    const recorders = ['default', 'garden'].map((name) => {
      const called = call([...RECORD, '--station', name], at);
      const sound = setInterval(() => called.feed(TONE), 100);
      onTestFinished(() => clearInterval(sound));
      return called;
    });
    for (const name of ['default', 'garden'])
      await expect.poll(async () => (await levels(service.address, name)).length).toBeGreaterThan(2);
    const waiting = join(at.DATA_DIR, spool, 'stations/garden');
    await callStation(['remove', 'garden', '--yes'], at);
    await expect
      .poll(() => readdirSync(waiting).filter((name) => name.endsWith('.csv')).length)
      .toBeGreaterThan(2);
    const said = () => [service, ...recorders].map(({ output }) => output()).join();
    // a write during the removal may deadlock
    expect(said()).toMatch(/There is no station garden|deadlock detected/);
    await addStations(at, { garden: {} });
    await expect.poll(said).toContain('The database stores points again');
    await expect.poll(async () => (await levels(service.address, 'garden')).length).toBeGreaterThan(2);
    for (const recorder of recorders) expect(await recorder.stop()).toBeUndefined();
  });

  it('The service records several stations, and a station that cannot start does not stop the others', async () => {
    const at = await ownDatabase();
    await addStations(at, { garden: {} });
    const SOUND = 'while head -c 1600 /dev/zero; do sleep 0.1; done';
    const { address, output } = await serve(
      at,
      ...['--record', SOUND, '--record', `garden=${SOUND}`, '--record', `attic=${SOUND}`, '--rate', '8000'],
    );
    for (const name of ['default', 'garden']) {
      await expect.poll(async () => (await levels(address, name)).length).toBeGreaterThan(0);
      const info = await fetch(`${address}/stations/${name}/api/v1/service/info`);
      expect(await info.json()).toMatchObject({ recorder: { running: true } });
    }
    expect(output()).toContain('There is no station attic');
    expect(output()).toContain("write --record 'default=attic=...'");
  });

  it('Recorders create a station for a second level, and store it there', async () => {
    const at = await ownDatabase();
    await addStations(at, { garden: {} });
    const SOUND = 'while head -c 1600 /dev/zero; do sleep 0.1; done';
    const programs = ['--record', SOUND, '--record', `garden=${SOUND}`] as const;
    const { address } = await serve(at, ...programs, '--rate', '8000', '--also', 'fast');
    const infoOf = async (name: string) =>
      (await fetch(`${address}/stations/${name}/api/v1/service/info`)).json();
    for (const name of ['garden', 'fast', 'garden_fast']) {
      await expect.poll(async () => (await levels(address, name)).length).toBeGreaterThan(0);
      expect(await infoOf(name)).toMatchObject({
        recorder: { running: true },
        periods: [{ statistic: name === 'garden' ? 'leq' : 'max', counts_overload: true }],
      });
    }
    const sound = file(wav(encode('s16', [sine(1000, 0.5)], 8000, 8000)));
    await addStations(at, { street: {} });
    const args = ['--start', '2026-01-01T00:00:00Z', '--station', 'street', '--also', 'fast'] as const;
    expect(await stored(['record', sound, ...args], at)).toMatch(/street_fast: Stored 10 points/);
    const level = expect.closeTo(-9.03, 1);
    for (const name of ['street', 'street_fast'])
      await expect // the service finds a new station within seconds
        .poll(() => levels(address, name).catch(() => []), { timeout: 10_000 })
        .toEqual(Array(10).fill(level));
    const stream = call([...RECORD, '--station', 'street', '--also', 'fast', '--new-period'], at);
    stream.write(TONE);
    expect(await stream.ended).toBeUndefined();
    expect((await levels(address, 'street_fast')).length).toBe(11);
  });

  it('The station of a second level inherits the settings of the first', async () => {
    const at = {
      ...(await ownDatabase()),
      PLACE_NAME: 'Elm Street 4',
      TIME_ZONE: 'Europe/Vienna',
      LIMITS: '06-22=55,22:30-06=45.5:3',
      CALIBRATION_OFFSET_DB: '118.5',
      ASSESS: 'hour',
      UNCERTAINTY_DB: '2.5',
      MIN_MEASURED_PERCENT: '75',
      MICROPHONE: 'UMIK-1',
    };
    const garden = {
      place_name: 'Garden',
      time_zone: 'Europe/London',
      limits: '22-06=40',
      calibration_offset_db: 100,
      measurement: { height_m: 4 },
    };
    const attic = { ...garden, place_name: 'Attic', measurement: null };
    const before = await serve(at); // as above
    await addStations(at, { garden, attic });
    const sound = file(wav(encode('s16', [sine(1000, 0.5)], 8000, 8000)));
    const args = ['--start', '2026-01-01T00:00:00Z', '--also', 'fast'] as const;
    await stored(['record', sound, ...args], at);
    await stored(['record', sound, ...args, '--station', 'garden'], at);
    await before.stop();
    const SOUND = 'while head -c 1600 /dev/zero; do sleep 0.1; done';
    const { address } = await serve(at, '--record', `attic=${SOUND}`, '--rate', '8000', '--also', 'fast');
    const settings = InfoOutput.pick({
      place_name: true,
      time_zone: true,
      limits: true,
      calibration_offset_db: true,
      assess: true,
      uncertainty_db: true,
      min_measured_percent: true,
      measurement: true,
    });
    const infoOf = async (name: string) =>
      settings.parse(await (await fetch(`${address}/stations/${name}/api/v1/service/info`)).json());
    for (const [name, second] of [
      ['default', 'fast'],
      ['garden', 'garden_fast'],
      ['attic', 'attic_fast'],
    ] as const)
      expect(await infoOf(second)).toEqual(await infoOf(name));
    const query = 'from=2026-01-01T00:00:00Z&to=2026-01-01T00:00:01Z&levels=absolute';
    const summary = await (await fetch(`${address}/stations/fast/api/v1/stats/summary?${query}`)).json();
    expect(summary).toMatchObject({ max_db: expect.closeTo(109.5, 0) });
    expect(await infoOf('garden_fast')).toMatchObject({ place_name: 'Garden', calibration_offset_db: 100 });
  });

  it("An import stores each sensor's lines in the station with its name, or with a mapped name", async () => {
    const at = await ownDatabase();
    const { address } = await serve(at);
    const path = file(`${SENSOR_FILE.join('\n')}\n`);
    const refused = async (...args: string[]) => String(await call(['import', path, ...args], at).ended);
    expect(await refused(...SENSORS, 'entity')).toContain('--station-by entity=sensor.bed:bed');
    expect(await refused(...SENSORS, 'entity=sensor.bed:bed')).toContain(
      'There is no station bed, hall: create missing stations with --create',
    );
    expect(await refused(...SENSORS, 'entity=sensor.bed')).toContain(
      "argument 'entity=sensor.bed' is invalid. It must be a column",
    );
    expect(await refused(...SENSORS, 'sensor')).toContain('the header has no column "sensor"');
    expect(await refused(...SENSORS, 'entity', '--station', 'hall')).toContain('not allowed with --station');
    const args = [...SENSORS, 'entity=sensor.bed:bed', '--create'] as const;
    const shown = await stored(['import', path, ...args, '--dry-run'], at);
    expect(shown).toContain('Station hall, which would be created:');
    await stored(['import', path, ...args], at);
    expect(await refused(...args)).toContain('2 of 2 stations were not stored');
    await expect
      .poll(() => Promise.all([levels(address, 'bed'), levels(address, 'hall')]))
      .toEqual([
        [-2, -1],
        [-20, -10],
      ]);
  });

  it('An import that follows a pipe separates the sensors, and skips sensors without a station', async () => {
    const at = await ownDatabase();
    const { address } = await serve(at);
    const following = call(['import', '-', '--follow', ...SENSORS, 'entity=sensor.bed:bed', '--create'], at);
    following.write(`${[...SENSOR_FILE, sensorRow('No Name', 1, -1)].join('\n')}\n`);
    expect(await following.ended).toBeUndefined();
    expect(following.output()).toContain('--station-by "entity=sensor.bed:bed,No Name:no_name"');
    expect([await levels(address, 'bed'), await levels(address, 'hall')]).toEqual([
      [-2, -1],
      [-20, -10],
    ]);
  });

  it("A station's backup restores into another database, also under another name, with its settings", async () => {
    const [from, to, folder] = [await ownDatabase(), await ownDatabase(), join(temporaryFolder(), 'all')];
    const [, { address }] = [await serve(from), await serve(to)];
    const made = { place_name: 'Elm', time_zone: 'Europe/Vienna', limits: '22-06=45' };
    const judged = { assess: '15m', uncertainty_db: 2, measurement: { microphone: 'UMIK-1, 7' } } as const;
    await addStations(from, { right: { ...made, ...judged, calibration_offset_db: 118.5 }, street: {} });
    const own = ['--place-name', 'Oak', '--limits', '0-24=50', '--operator', 'Ms Day'];
    await callStation(['set', 'default', ...own], from);
    await stored(['import', table(row(-10))], from);
    await stored(['import', table(row(-20)), '--station', 'right'], from);
    const hour = ['--from', '2026-01-01T00:00:00Z', '--to', '2026-01-01T01:00:00Z'];
    const rain = [...hour, '--reason', 'rain', '--by', 'Q'];
    for (const station of ['default', 'right']) {
      await stored(['exclude', 'add', ...rain, '--station', station], from);
      await stored(
        ['record', 'calibrate', recording(tone(-26)), '--level', '94', '--station', station],
        from,
      );
    }
    expect(await stored(['backup', join(folder, '../one')], from)).toContain('right, street');
    const missing = call(['backup', join(folder, '../attic'), '--station', 'attic'], from);
    expect(String(await missing.ended)).toContain('There is no station attic');
    await stored(['backup', folder, '--all'], from);
    expect(readdirSync(folder).sort()).toEqual(['default.backup', 'right.backup', 'street.backup']);
    const restored = await stored(['restore', folder, '--all'], { ...to, LIMITS: '0-24=55' });
    expect(restored.match(/^.*variable.*$/gm)).toEqual([expect.stringContaining(' LIMITS ')]);
    expect(await callStation(['show', 'default'], to)).toMatch(
      /^place_name: Oak\ntime_zone: none\nlimits: 0-24=50\n[\s\S]*\noperator: Ms Day\n/,
    );
    await stored(['restore', join(folder, 'right.backup'), '--station', 'user'], to);
    expect(String(await call(['restore', folder, '--all'], to).ended)).toContain('2 of 3 stations');
    for (const right of ['right', 'user'])
      expect(await callStation(['show', right], to)).toContain(
        'place_name: Elm\ntime_zone: Europe/Vienna\nlimits: 22-06=45\ncalibration_offset_db: 118.5\n' +
          'assess: 15m\nuncertainty_db: 2\nmin_measured_percent: none\nraw_retention: off\npoints: 1\n',
      );
    expect(await callStation(['show', 'user'], to)).toContain('\nmicrophone: UMIK-1, 7\n');
    await expect.poll(() => levels(address, 'user')).toEqual([-20]); // the service finds it within seconds
    for (const station of ['default', 'right', 'user']) {
      const listed = call(['exclude', 'list', '--station', station], to);
      expect(await listed.ended).toBeUndefined();
      expect(listed.output()).toMatch(
        /^\d+\t2026-01-01T00:00:00.000000Z\t2026-01-01T01:00:00.000000Z\train\tQ\n$/,
      );
      const info = await (await fetch(`${address}/stations/${station}/api/v1/service/info`)).json();
      expect(InfoOutput.parse(info).calibrations).toMatchObject([{ offset_db: 120, drift_db: null }]);
    }
    const all = ['default', 'right', 'street', 'user'].map((station) => levels(address, station));
    expect(await Promise.all(all)).toEqual([[-10], [-20], [], [-20]]);
  });
});
