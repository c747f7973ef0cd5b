// Messages of an MQTT broker: acknowledged once they are stored, each stored once.
import { renameSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { connectAsync } from 'mqtt';
import { describe, expect, it, onTestFinished } from 'vitest';
import { listen } from '../cluster.ts';
import { describeEachEngine, openForAll } from '../engines.ts';
import { call, callStation, serve } from '../in-process.ts';
import { needs } from '../needs.ts';
import { mosquitto, startMosquitto } from '../notify/mosquitto.ts';
import { dataFolder } from '../process.ts';
import { createRun, file, importCsv, messageOf, type Run, refusedImport } from '../recorder/run.ts';

const hasBroker = needs('mosquitto', mosquitto);
const TIMED = ['--columns', 'time=t,level=db', '--reference-db', '100'];
const TIMELESS = ['--columns', 'level'];

/** Subscribes until the test ends, or until `stop`. */
async function subscribe(url: string, args: readonly string[], run: Run = createRun()) {
  const ended = importCsv(['--mqtt', url, ...args], run.io);
  const stop = async () => {
    run.abort.abort();
    await ended;
  };
  onTestFinished(stop);
  await expect.poll(() => run.lines.join('\n')).toContain('Subscribed');
  return { run, stop };
}

async function publisher(host: string) {
  const client = await connectAsync(`mqtt://${host}`);
  onTestFinished(() => client.endAsync(true));
  return (topic: string, payload: string, retain = false) =>
    client.publishAsync(topic, payload, { qos: 1, retain });
}

const levelsOf = ({ db }: Run) => db.rows.map((row) => Number(row.split(',')[1]));

describeEachEngine('Messages', (engine) => {
  const test = openForAll(() => engine.open());

  it('are stored as they arrive, also those that came while no importer ran', hasBroker, async () => {
    const { host } = await startMosquitto();
    const publish = await publisher(host);
    const first = createRun({ onto: test.db });
    const before = await subscribe(`mqtt://${host}/+/level`, TIMED, first);
    const stored = async () =>
      (await test.sql('select rms_db from audio_data order by time')).map(({ rms_db }) => rms_db);
    await publish('garden/level', '{"t":1767225600,"db":70}');
    await publish('garden/level', 'booting');
    await publish('garden/level', '{"t":1767225601,"db":71}\n{"t":1767225602,"db":72}');
    await expect.poll(stored).toEqual([-30, -29, -28]);
    await before.stop();
    expect(first.lines.join('\n')).toContain('skipped line 1 of the topic garden/level');
    await publish('garden/level', '{"t":1767225603,"db":73}');
    const again = { ...first.io, signal: new AbortController().signal };
    const ending = new AbortController();
    const next = importCsv(['--mqtt', `mqtt://${host}/+/level`, ...TIMED], {
      ...again,
      signal: ending.signal,
    });
    await expect.poll(stored).toEqual([-30, -29, -28, -27]);
    ending.abort();
    await next;
  });
});

describeEachEngine('A message of two sensors', (engine) => {
  const test = openForAll(() => engine.open());

  it('is stored whole if both belong to one station', hasBroker, async () => {
    const { host } = await startMosquitto();
    const publish = await publisher(host);
    const args = ['--station-by', 'sensor=a:default,b:default', ...TIMED];
    await subscribe(`mqtt://${host}/level`, args, createRun({ onto: test.db }));
    await publish('level', '{"t":1767225600,"db":70,"sensor":"a"}\n{"t":1767225601,"db":71,"sensor":"b"}');
    const count = async () => (await test.sql('select count(*)::int as n from audio_data'))[0].n;
    await expect.poll(count).toBe(2);
  });
});

describe('A message', hasBroker, () => {
  it('without a time has the time of its arrival, and is ignored if it is retained', async () => {
    const { host } = await startMosquitto();
    const publish = await publisher(host);
    await publish('level', '-40', true);
    const { run, stop } = await subscribe(`mqtt://${host}/level`, TIMELESS);
    await publish('level', '-20', true); // retained, and live
    await publish('level', '-21');
    await publish('level', '-21');
    await expect.poll(() => levelsOf(run)).toEqual([-20, -21, -21]);
    await stop();
    expect(new Set(run.db.rows.map((row) => row.slice(0, 20)))).toEqual(new Set(['2026-11-20T12:00:00.']));
    const retained = await subscribe(`mqtt://${host}/level`, [...TIMELESS, '--retained']);
    await expect.poll(() => levelsOf(retained.run)).toEqual([-20]);
  });

  it('is acknowledged only once it is on disk: an interrupted importer gets it again', async () => {
    const { host } = await startMosquitto();
    const publish = await publisher(host);
    const run = createRun();
    const { folder } = await run.io.openSpool();
    const { stop } = await subscribe(`mqtt://${host}/level`, TIMELESS, run);
    await publish('level', '-20');
    await expect.poll(() => levelsOf(run)).toEqual([-20]);
    renameSync(folder, `${folder}.away`);
    await publish('level', '-21');
    await expect.poll(() => run.lines.join('\n')).toContain('waits in the broker');
    run.abort.abort();
    renameSync(`${folder}.away`, folder);
    await stop();
    expect(levelsOf(run)).toEqual([-20]);
    const ending = new AbortController();
    const next = importCsv(['--mqtt', `mqtt://${host}/level`, ...TIMELESS], {
      ...run.io,
      signal: ending.signal,
    });
    await expect.poll(() => levelsOf(run)).toEqual([-20, -21]);
    ending.abort();
    await next;
  });

  it('without a time has the time of its arrival even if the spool could not be written for a while', async () => {
    const { host } = await startMosquitto();
    const publish = await publisher(host);
    const run = createRun();
    const { folder } = await run.io.openSpool();
    await subscribe(`mqtt://${host}/level`, TIMELESS, run);
    renameSync(folder, `${folder}.away`);
    await publish('level', '-20');
    await expect.poll(() => run.lines.join('\n')).toContain('waits in the broker');
    run.io.now = () => '2026-11-20T13:00:00.000000Z';
    renameSync(`${folder}.away`, folder);
    await expect.poll(() => run.db.rows).toEqual([expect.stringMatching(/^2026-11-20T12:00:00/)]);
  });

  it.each([[TIMED], [TIMELESS]])('that is sent again is stored once, with %j', async (args) => {
    const { host } = await startMosquitto();
    const publish = await publisher(host);
    const proxy = await startDeafProxy(Number(host.split(':')[1]));
    const { run } = await subscribe(`mqtt://127.0.0.1:${proxy.port}/level`, args);
    const message = (n: number) => (args === TIMED ? `{"t":${1767225600 + n},"db":70}` : '-30');
    proxy.dropAnswers();
    for (let n = 0; n < 3; n++) await publish('level', message(n));
    await expect.poll(() => run.db.rows).toHaveLength(3);
    proxy.cut();
    await expect.poll(() => run.lines.filter((line) => line.startsWith('Subscribed'))).toHaveLength(2);
    await publish('level', message(3));
    await expect.poll(() => run.db.rows).toHaveLength(4);
  });

  it('goes to the station that its topic names, which --create makes', async () => {
    const { host } = await startMosquitto();
    const publish = await publisher(host);
    const DATA_DIR = dataFolder();
    await callStation(['add', 'garden'], { DATA_DIR });
    const { address } = await serve({ DATA_DIR });
    const args = ['--station-by', 'topic:2=esp-7:garden', ...TIMELESS];
    const first = call(['import', '--mqtt', `mqtt://${host}/noise/+`, ...args], { DATA_DIR });
    await expect.poll(first.output).toContain('Subscribed');
    await publish('noise/esp-7', '-20');
    await publish('noise/street', '-21');
    await expect.poll(first.output).toContain('There is no station street');
    expect(await first.stop()).toBeUndefined();
    const next = call(['import', '--mqtt', `mqtt://${host}/noise/+`, ...args, '--create'], { DATA_DIR });
    await expect.poll(next.output).toContain('Subscribed');
    await publish('noise/street', '-22');
    for (const [station, rms_db] of [
      ['garden', -20],
      ['street', -22],
    ] as const)
      await expect
        .poll(async () => (await fetch(`${address}/stations/${station}/api/v1/audio/latest`)).json())
        .toMatchObject({ points: [{ rms_db }] });
    expect(await next.stop()).toBeUndefined();
  });
});

describe('A broker', hasBroker, () => {
  it('gets the password of a file, and its refusals are reported', async () => {
    const { host, end, start } = await startMosquitto({ user: 'anna:s3cret' });
    const run = createRun();
    const wrong = importCsv(['--mqtt', `mqtt://anna:wr0ng@${host}/level`, ...TIMELESS], run.io);
    await expect.poll(() => run.lines.join('\n')).toContain('check the user and the password');
    run.abort.abort();
    await wrong;
    const right = ['--password-file', file('s3cret\n')];
    const { run: allowed } = await subscribe(`mqtt://anna@${host}/level`, [...TIMELESS, ...right]);
    await end();
    await expect.poll(() => allowed.lines.join('\n')).toContain('Warning: no connection to mqtt://127.0.0.1');
    await start();
    await expect.poll(() => allowed.lines.join('\n')).toContain('Connected to mqtt://127.0.0.1');
    expect([...run.lines, ...allowed.lines].join('\n')).not.toMatch(/anna|s3cret|wr0ng/);
  });
});

it.each([
  [TIMED, 30 * 86_400],
  [TIMELESS, 60],
])(
  'With %j the broker is asked to keep messages for %i s, because they have their times or not',
  async (args, s) => {
    const packets = Promise.withResolvers<string>();
    const server = createServer((client) =>
      client.once('data', (bytes) => packets.resolve(bytes.toString('hex'))),
    );
    const port = await listen(server);
    const run = createRun();
    const ended = importCsv(['--mqtt', `mqtt://127.0.0.1:${port}/level`, ...args], run.io);
    const SESSION_EXPIRY = '11';
    expect(await packets.promise).toContain(`${SESSION_EXPIRY}${s.toString(16).padStart(8, '0')}`);
    run.abort.abort();
    await ended;
    server.close();
  },
);

it('An importer whose session another one takes over says so, and waits ten minutes', async () => {
  const [CONNACK, TAKEN_OVER] = [Buffer.from('2003000000', 'hex'), Buffer.from('e0028e00', 'hex')];
  let connections = 0;
  const server = createServer((client) => {
    connections += 1;
    client.once('data', () => {
      client.write(CONNACK);
      client.once('data', () => client.end(TAKEN_OVER));
    });
  });
  const port = await listen(server);
  const run = createRun();
  const ended = importCsv(['--mqtt', `mqtt://127.0.0.1:${port}/level`, ...TIMELESS], run.io);
  await expect
    .poll(() => run.lines.at(-1))
    .toMatch(
      /^Warning: no connection to mqtt:.* took over its client id audio-metrics-[0-9a-f]{8}.* every 600 s$/,
    );
  run.abort.abort();
  await ended;
  expect(connections).toBe(1);
  server.close();
});

it.each([
  [['--mqtt', 'http://anna:secret@broker/level'], 'it must begin with mqtt://'],
  [['--mqtt', 'mqtt://anna:secret@broker/'], 'its path must be a topic'],
  [['--mqtt', 'mqtt://anna:secret@broker/a+/b'], 'its path must be a topic'],
  [['--mqtt', 'mqtt://anna:secret@broker/%00'], '--mqtt: its path must be a topic'],
  [['--mqtt', `mqtt://anna:secret@broker/${'a'.repeat(65_536)}`], '--mqtt: its path must be a topic'],
  [['--mqtt', 'mqtt://anna:secret@broker/$share/group'], '--mqtt: its path must be a topic'],
  [['--mqtt', 'mqtt://anna:secret@broker/a/#/b'], 'fragment'],
  [
    ['--mqtt', 'mqtt://broker/a/+/b', '--station-by', 'topic:4', '--columns', 'level'],
    'must be topic:1 to topic:3 for the topic a/+/b',
  ],
  [
    ['--mqtt', 'mqtt://broker/a/#', '--station-by', 'topic:0', '--columns', 'level'],
    'must be topic:1 to topic:99 for the topic a/#',
  ],
  [['--mqtt', 'mqtt://broker/level', '--password-file', 'x'], 'needs a user'],
  [['--mqtt', 'mqtt://anna:secret@broker/level', '--listen', '127.0.0.1:0'], 'cannot be used'],
  [['--mqtt', 'mqtt://anna:secret@broker/level', '-'], 'not allowed with --listen or --mqtt'],
  [['-', '--retained'], '--retained: needs --mqtt'],
])('The arguments %j are refused, without the password', async (args, message) => {
  const refusal = await refusedImport(args);
  expect(refusal).toContain(message);
  expect(refusal).not.toContain('secret');
});

it('A password file that is missing is named', async () => {
  const args = ['--mqtt', 'mqtt://anna@127.0.0.1:1/level', '--password-file', '/nowhere'];
  expect(await messageOf(importCsv(args, createRun().io))).toMatch(/^--password-file: .*\/nowhere/);
});

/** A proxy that can drop what the client sends, and cut its connections. */
async function startDeafProxy(to: number) {
  const clients = new Set<Socket>();
  let drops = false;
  const server = createServer((client) => {
    const broker = connect(to, '127.0.0.1');
    clients.add(client);
    client.on('data', (bytes) => drops || broker.write(bytes));
    broker.on('data', (bytes) => client.write(bytes));
    client.on('close', () => broker.destroy()).on('error', () => {});
    broker.on('close', () => client.destroy()).on('error', () => {});
  });
  const port = await listen(server);
  onTestFinished(() => {
    for (const client of clients) client.destroy();
    server.close();
  });
  return {
    port,
    dropAnswers() {
      drops = true;
    },
    cut() {
      drops = false;
      for (const client of clients) client.destroy();
    },
  };
}
