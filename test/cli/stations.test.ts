// Commands that work on one station, and a service that records several.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { andOnCitus, describeEmbeddedAndOnWire, describeOnWire, type Engine } from '../engines.ts';
import { call, called, callStation, serve } from '../in-process.ts';
import { dataFolder, temporaryFolder } from '../process.ts';
import { recording, tone } from '../recorder/calibrator.ts';
import { file } from '../recorder/run.ts';
import { encode, sine, wav } from '../recorder/sound.ts';
import { addStations } from '../stations.ts';

const RECORD = ['record', '-', '--rate', '8000', '--format', 's16le'] as const;
const TONE = encode('s16', [sine(1000, 0.5)], 8000, 800);
const SECOND = wav(encode('s16', [sine(1000, 0.5)], 8000, 8000));
const START = ['--start', '2026-01-01T00:00:00Z'] as const;
/** A recording program that plays silence. */
const SILENCE = 'while head -c 1600 /dev/zero; do sleep 0.1; done';
const table = (...rows: string[]) => file(['time,rms_db,frequency_hz,is_silence', ...rows, ''].join('\n'));
const row = (level: number) => `2026-01-01T00:00:00.000000Z,${level},,false`;

const SENSORS = ['--columns', 'time=t,level=v', '--station-by'] as const;
const sensorRow = (sensor: string, second: number, level: number) =>
  `2026-01-01T00:00:0${second}Z,${sensor},${level}`;
const SENSOR_FILE = [
  't,entity,v',
  ...[1, 2].flatMap((n) => [sensorRow('sensor.bed', n, -n), sensorRow('hall', n, -10 * n)]),
];

type Service = Awaited<ReturnType<typeof serve>>;

/** The levels of each station, newest first; null for a station that the service does not know yet. */
const levelsOf = ({ latest }: Service, ...stations: string[]) =>
  Promise.all(
    stations.map((name) =>
      latest(name).then(
        (points) => points.map(({ rms_db }) => rms_db),
        () => null,
      ),
    ),
  );

/** Creates a database. @returns the environment variables that select it */
async function ownDatabase({ name, open }: Engine) {
  const at = { DATA_DIR: dataFolder(), RAW_RETENTION: 'off' };
  if (name === 'PGlite') return at;
  const { url = '', close } = await open();
  onTestFinished(close);
  return { ...at, DATABASE_URL: url };
}

/** What a command fails with. */
const refused = async (args: Parameters<typeof call>[0], at: Record<string, string>) =>
  String(await call(args, at).ended);

andOnCitus(describeEmbeddedAndOnWire)('Stations', (engine) => {
  const spool = engine.name === 'PGlite' ? 'spool' : 'spool-server';

  it('A command works only on its station, and does nothing if that station is missing', async () => {
    const at = await ownDatabase(engine);
    const service = await serve(at);
    await addStations(at, { garden: {} });
    expect(await refused(['import', table(row(-1)), '--station', 'Garden'], at)).toContain('a to z');
    expect(await refused(['import', table(row(-1)), '--station', 'attic'], at)).toContain(
      'There is no station attic: `npm run station -- add attic`',
    );
    const unknown = call([...RECORD, '--station', 'attic'], at);
    unknown.write(TONE);
    expect(String(await unknown.ended)).toContain('There is no station attic');
    expect(existsSync(join(at.DATA_DIR, spool, 'stations'))).toBe(false);

    await called(['import', table(row(-10))], at);
    await called(['import', table(row(-20)), '--station', 'garden'], at);
    const all = () => levelsOf(service, 'default', 'garden');
    await expect.poll(all).toEqual([[-10], [-20]]);
    const day = ['--from', '2026-01-01T00:00:00Z', '--to', '2026-01-02T00:00:00Z'] as const;
    await called(['delete', ...day, '--yes', '--station', 'garden'], at);
    expect(await all()).toEqual([[-10], []]);
  });

  it('Each recorder has its own spool, which is emptied as soon as its station exists', async () => {
    const at = await ownDatabase(engine);
    const service = await serve(at);
    await addStations(at, { garden: {} });
    const recorders = ['default', 'garden'].map((name) => {
      const recorder = call([...RECORD, '--station', name], at);
      const sound = setInterval(() => recorder.feed(TONE), 100);
      onTestFinished(() => clearInterval(sound));
      return recorder;
    });
    const counts = async () => (await levelsOf(service, 'default', 'garden')).map((all) => all?.length ?? 0);
    await expect.poll(async () => Math.min(...(await counts()))).toBeGreaterThan(2);
    const waiting = join(at.DATA_DIR, spool, 'stations/garden');
    await callStation(['remove', 'garden', '--yes'], at);
    await expect
      .poll(() => readdirSync(waiting).filter((name) => name.endsWith('.csv')).length)
      .toBeGreaterThan(2);
    const said = () => [service, ...recorders].map(({ output }) => output()).join();
    // a write during the removal may deadlock
    await expect.poll(said).toMatch(/There is no station garden|deadlock detected/);
    await addStations(at, { garden: {} });
    await expect.poll(said).toContain('The database stores points again');
    await expect.poll(async () => (await counts())[1]).toBeGreaterThan(2);
    for (const recorder of recorders) expect(await recorder.stop()).toBeUndefined();
  });
});

describeOnWire('Stations', (engine) => {
  it('Recorders and the service warn once about limits below the recorded range', async () => {
    const at = { ...(await ownDatabase(engine)), LIMITS: '06-22=70.1,22-06=45' };
    const limits = '22-06=40';
    await addStations(at, {
      garden: { limits, calibration_offset_db: 95 },
      street: { limits, calibration_offset_db: 89 },
      attic: { limits },
    });
    /** Each warning by its station, the lowest level, the limits, and the reference to use. */
    const warningsIn = (output: string) =>
      Array.from(
        output.matchAll(/(\w+: )?Levels below (\d+) dB .* with (\S+)\. Record with `--reference-db (\d+)`/g),
        (found) => found.slice(1).join(' '),
      );
    const said = async (args: Parameters<typeof call>[0]) => {
      const recorder = call(args, at);
      recorder.write(TONE);
      expect(await recorder.ended).toBeUndefined();
      return warningsIn(recorder.output());
    };
    const [high, low] = ['120', '94'].map((db) => ['--reference-db', db, '--calibration', '120']);
    const ofDefault = '70 22:00-06:00=45 85';
    expect(await said([...RECORD, ...(low ?? [])])).toEqual([]);
    expect(await said([...RECORD, ...(high ?? []), '--new-period'])).toEqual([`Warning:  ${ofDefault}`]);
    const past = ['record', file(SECOND), ...START, '--station', 'street', ...(high ?? [])] as const;
    expect(await said(past)).toEqual(['Warning:  70 22:00-06:00=40 80']);

    const others = ['garden:  45 22:00-06:00=40 80', 'street:  70 22:00-06:00=40 80'];
    const service = await serve(at);
    await expect.poll(() => warningsIn(service.output())).toEqual([` ${ofDefault}`, ...others]);
    await service.stop();
    // a recorder of the service, whose range counts in place of that of earlier points
    const range = ['--reference-db', '85', '--calibration', '120', '--new-period'];
    const again = await serve(at, '--record', SILENCE, '--rate', '8000', ...range);
    await expect.poll(() => warningsIn(again.output())).toEqual(others);
  });

  it('The service records several stations, and a station that cannot start does not stop the others', async () => {
    const at = await ownDatabase(engine);
    await addStations(at, { garden: {} });
    const programs = [SILENCE, `garden=${SILENCE}`, `attic=${SILENCE}`];
    const service = await serve(at, ...programs.flatMap((each) => ['--record', each]), '--rate', '8000');
    for (const name of ['default', 'garden']) {
      await expect.poll(async () => (await service.latest(name)).length).toBeGreaterThan(0);
      expect(await service.info(name)).toMatchObject({ recorder: { running: true } });
    }
    expect(service.output()).toContain('There is no station attic');
    expect(service.output()).toContain("write --record 'default=attic=...'");
  });

  it('Recorders create a station for a second level, with the settings of the first, and store it there', async () => {
    const at = {
      ...(await ownDatabase(engine)),
      PLACE_NAME: 'Elm Street 4',
      TIME_ZONE: 'Europe/Vienna',
      LIMITS: '06-22=55,22:30-06=45.5:3',
      CALIBRATION_OFFSET_DB: '118.5',
    };
    const garden = {
      place_name: 'Garden',
      time_zone: 'Europe/London',
      limits: '22-06=40',
      calibration_offset_db: 100,
      measurement: { height_m: 4 },
    };
    await addStations(at, { garden, street: {} });
    const programs = ['--record', SILENCE, '--record', `garden=${SILENCE}`] as const;
    const service = await serve(at, ...programs, '--rate', '8000', '--also', 'fast', '--also', 'C');
    for (const [first, second] of [
      ['default', 'fast'],
      ['garden', 'garden_fast'],
    ] as const) {
      const counts = async () => (await levelsOf(service, first, second)).map((all) => all?.length ?? 0);
      await expect.poll(async () => Math.min(...(await counts()))).toBeGreaterThan(0);
      const [one, other] = [await service.info(first), await service.info(second)];
      expect([one.periods[0]?.statistic, other.periods[0]?.statistic]).toEqual(['leq', 'max']);
      expect(other).toMatchObject({ recorder: { running: true }, periods: [{ counts_overload: true }] });
      for (const setting of ['place_name', 'time_zone', 'limits', 'calibration_offset_db'] as const)
        expect(other[setting]).toEqual(one[setting]);
      for (const setting of ['assess', 'uncertainty_db', 'measurement'] as const)
        expect(other[setting]).toEqual(one[setting]);
    }
    expect((await service.info('garden_c')).periods).toMatchObject([{ weighting: 'C', statistic: 'leq' }]);
    expect(await service.info('garden_fast')).toMatchObject({
      place_name: 'Garden',
      measurement: { height_m: 4 },
    });

    const both = ['--station', 'street', '--also', 'fast'] as const;
    expect(await called(['record', file(SECOND), ...START, ...both], at)).toMatch(
      /street_fast: Stored 10 points/,
    );
    const level = Array(10).fill(expect.closeTo(-9.03, 1));
    const levels = () => levelsOf(service, 'street', 'street_fast');
    await expect.poll(levels).toEqual([level, level]); // the service finds a new station within seconds
    const stream = call([...RECORD, ...both, '--new-period'], at);
    stream.write(TONE);
    expect(await stream.ended).toBeUndefined();
    expect((await levels())[1]).toHaveLength(11);
  });

  it("An import stores each sensor's lines in the station with its name, or with a mapped name", async () => {
    const at = await ownDatabase(engine);
    const path = file(`${SENSOR_FILE.join('\n')}\n`);
    for (const [args, message] of [
      [['entity'], '--station-by entity=sensor.bed:bed'],
      [['entity=sensor.bed:bed'], 'There is no station bed, hall: create missing stations with --create'],
      [['entity=sensor.bed'], "argument 'entity=sensor.bed' is invalid. It must be a column"],
      [['sensor'], 'the header has no column "sensor"'],
      [['entity', '--station', 'hall'], 'not allowed with --station'],
    ] as const)
      expect(await refused(['import', path, ...SENSORS, ...args], at)).toContain(message);
    const args = [...SENSORS, 'entity=sensor.bed:bed', '--create'] as const;
    const shown = await called(['import', path, ...args, '--dry-run'], at);
    expect(shown).toContain('Station hall, which would be created:');
    await called(['import', path, ...args], at);
    expect(await refused(['import', path, ...args], at)).toContain('2 of 2 stations were not stored');
    const service = await serve(at);
    const stored = [
      [-2, -1],
      [-20, -10],
    ];
    expect(await levelsOf(service, 'bed', 'hall')).toEqual(stored);

    // an import that follows a pipe separates the sensors too, and skips sensors without a station
    const following = call(
      ['import', '-', '--follow', ...SENSORS, 'entity=sensor.bed:porch', '--create'],
      at,
    );
    const followed = [...SENSOR_FILE.slice(0, 2), sensorRow('shed', 1, -7), sensorRow('No Name', 1, -1)];
    following.write(`${followed.join('\n')}\n`);
    expect(await following.ended).toBeUndefined();
    expect(following.output()).toContain("--station-by 'entity=sensor.bed:porch,No Name:no_name'");
    await expect.poll(() => levelsOf(service, 'porch', 'shed')).toEqual([[-1], [-7]]);
  });

  it("A station's backup restores into another database, also under another name, with its settings", async () => {
    const [right, user] = engine.name === 'Citus' ? ['porch', 'shed'] : ['right', 'user'];
    const [from, to] = [await ownDatabase(engine), await ownDatabase(engine)];
    const folder = join(temporaryFolder(), 'all');
    const made = { place_name: 'Elm', time_zone: 'Europe/Vienna', limits: '22-06=45' };
    const judged = { assess: '15m', uncertainty_db: 2, measurement: { microphone: 'UMIK-1, 7' } } as const;
    await addStations(from, { [right]: { ...made, ...judged, calibration_offset_db: 118.5 }, street: {} });
    const own = ['--place-name', 'Oak', '--limits', '0-24=50', '--operator', 'Ms Day'];
    await callStation(['set', 'default', ...own], from);
    await called(['import', table(row(-10))], from);
    await called(['import', table(row(-20)), '--station', right], from);
    const hour = ['--from', '2026-01-01T00:00:00Z', '--to', '2026-01-01T01:00:00Z'];
    const calibrator = recording(tone(-26));
    for (const station of ['default', right]) {
      const there = ['--station', station] as const;
      await called(['exclude', 'add', ...hour, '--reason', 'rain', '--by', 'Q', ...there], from);
      await called(['record', 'calibrate', calibrator, '--level', '94', ...there], from);
    }
    expect(await called(['backup', join(folder, '../one')], from)).toContain(`${right}, street`);
    expect(await refused(['backup', join(folder, '../attic'), '--station', 'attic'], from)).toContain(
      'There is no station attic',
    );
    await called(['backup', folder, '--all'], from);
    expect(readdirSync(folder).sort()).toEqual(['default.backup', `${right}.backup`, 'street.backup']);
    const restored = await called(['restore', folder, '--all'], { ...to, LIMITS: '0-24=55' });
    expect(restored.match(/^.*variable.*$/gm)).toEqual([expect.stringContaining(' LIMITS ')]);
    expect(await callStation(['show', 'default'], to)).toMatch(
      /^place_name: Oak\ntime_zone: none\nlimits: 0-24=50\n[\s\S]*\noperator: Ms Day\n/,
    );
    await called(['restore', join(folder, `${right}.backup`), '--station', user], to);
    expect(await refused(['restore', folder, '--all'], to)).toContain('2 of 3 stations');
    for (const name of [right, user])
      expect(await callStation(['show', name], to)).toMatch(
        /^place_name: Elm\ntime_zone: Europe\/Vienna\nlimits: 22-06=45\ncalibration_offset_db: 118.5\nassess: 15m\nuncertainty_db: 2\n[\s\S]*\npoints: 1\n[\s\S]*\nmicrophone: UMIK-1, 7\n/,
      );
    const service = await serve(to);
    for (const station of ['default', right, user]) {
      expect(await called(['exclude', 'list', '--station', station], to)).toMatch(
        /^\d+\t2026-01-01T00:00:00.000000Z\t2026-01-01T01:00:00.000000Z\train\tQ\n$/,
      );
      const { calibrations } = await service.info(station);
      expect(calibrations).toMatchObject([{ offset_db: 120, drift_db: null }]);
    }
    const stations = ['default', right, 'street', user];
    expect(await levelsOf(service, ...stations)).toEqual([[-10], [-20], [], [-20]]);
  });
});
