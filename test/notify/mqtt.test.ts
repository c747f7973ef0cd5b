import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { connectAsync } from 'mqtt';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Message } from '../../src/contract/messages.ts';
import { openMqtt } from '../../src/notify/mqtt.ts';
import { listen } from '../cluster.ts';
import { needs } from '../needs.ts';
import { findProgram, inherited } from '../program.ts';
import { type Broker, mosquitto, startMosquitto } from './mosquitto.ts';
import { stationShown } from './stations-shown.ts';

const { signal } = new AbortController();
const RETRY_MS = 50;

const message = (id: string, station = 'garden'): Message => ({
  kind: 'silent',
  id,
  station,
  left_out: 0,
  title: 'The recorder is silent',
  text: 'No point since 12:00',
  link: 'https://example.com/',
  since: '2026-01-02T12:00:00.000000Z',
});

/** Opens a receiver until the test ends. Also returns the lines that the operator sees. */
function open(url: string) {
  const lines: string[] = [];
  const receiver = openMqtt(new URL(url), { say: (line) => lines.push(line), version: '1.2.3' }, RETRY_MS);
  onTestFinished(() => receiver.close());
  const show = (...stations: Parameters<typeof stationShown>[]) =>
    receiver.show?.(stations.map((station) => stationShown(...station)));
  return { ...receiver, show, lines };
}

/** Subscribes to all topics, and collects what arrives. */
async function subscribe({ host }: Broker) {
  const client = await connectAsync(`mqtt://${host}`, { protocolVersion: 5, reconnectPeriod: RETRY_MS });
  client.on('error', () => {});
  onTestFinished(() => client.endAsync(true));
  const seen: { topic: string; body: unknown; qos: number; retain: boolean }[] = [];
  client.on('message', (topic, payload, { qos, retain }) => {
    const text = payload.toString();
    seen.push({ topic, body: text.startsWith('{') ? JSON.parse(text) : text, qos, retain });
  });
  await client.subscribeAsync('#', { qos: 2, rap: true });
  const at = (topic: string) => seen.filter((each) => each.topic === topic);
  return { at, newest: (topic: string) => at(topic).at(-1), publish: client.publishAsync.bind(client) };
}

/** The number of messages on a topic that the broker has received from our client. */
const received = (broker: Broker, topic: string) =>
  [...broker.log().matchAll(/Received PUBLISH from \S+ \(([^)]*)/g)].filter(([, what]) =>
    what?.includes(topic),
  ).length;

const STATE = 'audio-metrics/garden/state';
const CONFIG = 'homeassistant/device/audio-metrics_garden/config';
const MESSAGE = 'audio-metrics/garden/message';

it.each([
  ['3.1.1', [0x20, 2, 0, 1]],
  ['5', [0x20, 3, 0, 0x84, 0]],
])(
  'a broker that does not speak MQTT 5, and refuses as MQTT %s does, is logged as such',
  async (_, connack) => {
    const broker = createServer((socket) => {
      socket.on('error', () => {}).once('data', () => socket.end(Buffer.from(connack)));
    });
    const port = await listen(broker);
    onTestFinished(() => void broker.close());
    const { lines } = open(`mqtt://127.0.0.1:${port}`);
    await expect
      .poll(() => lines)
      .toEqual([expect.stringMatching(/the broker does not speak MQTT 5: .*3\.1\.1/)]);
  },
);

describe('an MQTT broker', needs('mosquitto', mosquitto), () => {
  it('gets messages in order, and acknowledges them', async () => {
    const broker = await startMosquitto();
    const subscriber = await subscribe(broker);
    const receiver = open(`mqtt://${broker.host}`);
    const messages = ['a', 'b', 'c'].map((id) => message(id));
    for (const each of messages) await receiver.send(each, signal);
    await expect.poll(() => subscriber.at(MESSAGE)).toHaveLength(3);
    expect(subscriber.at(MESSAGE)).toEqual(
      messages.map((body) => ({ topic: MESSAGE, body, qos: 1, retain: false })),
    );
    expect(receiver.name).toBe(`mqtt://${broker.host}`);
    expect(receiver.lines).toEqual([]);
  });

  it('retains the state and config of each station, and whether the process runs', async () => {
    const broker = await startMosquitto();
    const subscriber = await subscribe(broker);
    const receiver = open(`mqtt://${broker.host}/noise`);
    receiver.show(['garden', { noise_event: true, night_state: 'over' }], ['street', { unit: 'dBFS' }]);
    const state = 'noise/garden/state';
    await expect.poll(() => subscriber.newest('noise/street/state')).toBeDefined();
    expect(subscriber.newest('noise/status')).toMatchObject({ body: 'online', retain: true });
    expect(subscriber.at('homeassistant/device/noise_street/config')).toMatchObject([{ retain: true }]);
    expect(subscriber.at(state)).toEqual([
      {
        topic: state,
        body: {
          time: '2026-01-02T12:00:00.000000Z',
          state: 'recording',
          unit: 'dB(A)',
          level_db: 52.3,
          leq_1h_db: 50.1,
          band_hz: 1000,
          night_leq_db: null,
          night_state: 'over',
          noise_event: true,
          recorder_problem: false,
        },
        qos: 0,
        retain: true,
      },
    ]);
    receiver.show(['garden', { place_name: 'Elm Street' }], ['street', { unit: 'dBFS' }]);
    await expect.poll(() => subscriber.at('noise/street/state')).toHaveLength(2);
    expect(subscriber.at('homeassistant/device/noise_garden/config')).toMatchObject([
      { body: { device: { name: 'garden' } } },
      { body: { device: { name: 'Elm Street' } } },
    ]);
    expect(subscriber.at('homeassistant/device/noise_street/config')).toHaveLength(1);
    await receiver.close();
    await expect
      .poll(() => subscriber.newest('noise/status'))
      .toMatchObject({ body: 'offline', retain: true });
  });

  it('refuses a wrong password, which the log line does not show', async () => {
    const broker = await startMosquitto({ user: 'anna:p%w' });
    const receiver = open(`mqtt://anna:secret@${broker.host}`);
    await expect.poll(() => receiver.lines).toHaveLength(1);
    const sending = receiver.send(message('a'), AbortSignal.timeout(RETRY_MS * 5));
    await expect(sending).rejects.toThrow('timeout');
    expect(receiver.lines).toEqual([expect.stringMatching(/Not authorized.*password/)]);
    expect(receiver.lines.join()).not.toMatch(/anna|secret/);

    const other = open(`mqtt://anna:p%25w@${broker.host}`);
    await other.send(message('a'), signal);
    expect(other.lines).toEqual([]);
  });

  it(
    'is trusted only if NODE_EXTRA_CA_CERTS names its certificate authority',
    needs('OpenSSL', findProgram('openssl')),
    async () => {
      const broker = await startMosquitto({ tls: true });
      const url = `mqtts://${broker.host}`;
      const receiver = open(url);
      await expect.poll(() => receiver.lines).toEqual([expect.stringMatching(/certif.*NODE_EXTRA_CA_CERTS/)]);
      startProcess(url, { NODE_EXTRA_CA_CERTS: broker.ca });
      await expect.poll(() => received(broker, STATE)).toBe(1);
    },
  );

  it('gets messages that were under way when it was killed exactly once, and all state again', async () => {
    const broker = await startMosquitto();
    const receiver = open(`mqtt://${broker.host}`);
    receiver.show(['garden']);
    await receiver.send(message('a'), signal);
    broker.signal('SIGSTOP');
    const underWay = receiver.send(message('b'), signal);
    await broker.end('SIGKILL');
    await expect.poll(() => receiver.lines).toHaveLength(1);
    const waiting = receiver.send(message('c'), signal);
    const leaving = new AbortController();
    const left = receiver.send(message('d'), leaving.signal);
    leaving.abort();
    await expect(left).rejects.toThrow('aborted');
    await broker.start();
    await Promise.all([underWay, waiting]);
    const counts = () => [STATE, CONFIG, MESSAGE].map((topic) => received(broker, topic));
    await expect.poll(counts).toEqual([1, 1, 2]);
    expect(receiver.lines.at(-1)).toMatch(/^Connected/);
    const subscriber = await subscribe(broker);
    await expect.poll(() => subscriber.newest('audio-metrics/status')?.body).toBe('online');
    expect(counts()).toEqual([1, 1, 2]);
  });

  it('gets a message once, even if the caller aborts and resends it before the acknowledgement', async () => {
    const broker = await startMosquitto();
    const receiver = open(`mqtt://${broker.host}`);
    await receiver.send(message('a'), signal);
    broker.signal('SIGSTOP');
    const leaving = new AbortController();
    const left = receiver.send(message('b'), leaving.signal);
    await setImmediate(); // it is under way
    leaving.abort();
    await expect(left).rejects.toThrow('aborted');
    const again = receiver.send(message('b'), signal);
    broker.signal('SIGCONT');
    await again;
    await receiver.send(message('c'), signal);
    await expect.poll(() => received(broker, MESSAGE)).toBe(3);
  });

  it('may be away at the start and later; each outage is logged once', async () => {
    const broker = await startMosquitto({ isStarted: false });
    let tried = 0;
    const deaf = createServer((socket) => {
      tried += 1;
      socket.destroy();
    });
    const [host, port] = broker.host.split(':');
    await once(deaf.listen(Number(port), host), 'listening');
    const receiver = open(`mqtt://${broker.host}`);
    receiver.show(['garden']);
    await expect.poll(() => tried).toBeGreaterThan(3);
    expect(receiver.lines).toEqual([expect.stringContaining('Warning: no connection')]);
    deaf.close();
    await expect
      .poll(() => receiver.lines)
      .toEqual([expect.anything(), expect.stringMatching(/ECONNREFUSED/)]);
    await broker.start();
    await receiver.send(message('a'), signal);
    expect(receiver.lines.slice(2)).toEqual([`Connected to mqtt://${broker.host}`]);
    await broker.end();
    await expect.poll(() => receiver.lines[3]).toBe(receiver.lines[0]);
  });

  it('has one client per prefix: the older one stops, and logs that', async () => {
    const broker = await startMosquitto();
    const subscriber = await subscribe(broker);
    const older = open(`mqtt://${broker.host}`);
    await older.send(message('a'), signal);
    const newer = open(`mqtt://${broker.host}`);
    await newer.send(message('b'), signal);
    await expect
      .poll(() => older.lines)
      .toEqual([expect.stringMatching(/End the other one.*another prefix/)]);
    older.show(['garden']);
    const sending = older.send(message('c'), AbortSignal.timeout(RETRY_MS * 5));
    await expect(sending).rejects.toThrow('timeout');
    await newer.send(message('d'), signal);
    expect(older.lines).toHaveLength(1);
    expect(newer.lines).toEqual([]);
    expect(subscriber.newest('audio-metrics/status')?.body).toBe('online');
    expect(received(broker, STATE)).toBe(0);
    await older.close();
    await newer.send(message('e'), signal);
    expect(subscriber.newest('audio-metrics/status')?.body).toBe('online');
  });

  it('has one client per prefix, even if the newer one connects while the older one is offline', async () => {
    const broker = await startMosquitto();
    const [host, port] = broker.host.split(':');
    const sockets: Socket[] = [];
    const way = createServer((socket) => {
      const onward = connect(Number(port), host);
      sockets.push(
        socket.on('error', () => {}),
        onward.on('error', () => {}),
      );
      socket.pipe(onward).pipe(socket);
    });
    const wayPort = await listen(way);
    onTestFinished(() => void way.close());
    const older = open(`mqtt://127.0.0.1:${wayPort}`);
    await older.send(message('a'), signal);
    way.close();
    for (const socket of sockets) socket.destroy();
    const newer = open(`mqtt://${broker.host}`);
    await newer.send(message('b'), signal);
    way.listen(wayPort, '127.0.0.1');
    await expect.poll(() => older.lines.at(-1)).toMatch(/another prefix/);
    await newer.send(message('c'), signal);
    expect(newer.lines).toEqual([]);
  });

  it("is told again that the process is online if an earlier run's will arrives late", async () => {
    const broker = await startMosquitto();
    const subscriber = await subscribe(broker);
    await open(`mqtt://${broker.host}`).send(message('a'), signal);
    const at = 'audio-metrics/status';
    await subscriber.publish(at, 'offline', { retain: true });
    await expect
      .poll(() => subscriber.at(at).map(({ body }) => body))
      .toEqual(['online', 'offline', 'online']);
  });

  it('forgets removed stations, even of an earlier run, but no device of another product or prefix', async () => {
    const broker = await startMosquitto();
    const subscriber = await subscribe(broker);
    const earlier = open(`mqtt://${broker.host}`);
    earlier.show(['garden'], ['street'], ['yard']);
    await expect.poll(() => subscriber.newest('audio-metrics/yard/state')).toBeDefined();
    await earlier.close();
    const foreign = 'homeassistant/device/audio-metrics_foreign/config';
    await subscriber.publish(foreign, '{"origin":{"name":"Other"}}', { retain: true });
    // a station with the prefix audio-metrics_b
    const other = open(`mqtt://${broker.host}/audio-metrics_b`);
    other.show(['c']);
    const others = 'homeassistant/device/audio-metrics_b_c/config';
    await expect.poll(() => subscriber.newest(others)).toBeDefined();

    const receiver = open(`mqtt://${broker.host}`);
    receiver.show(['garden'], ['street']);
    await expect.poll(() => subscriber.newest('audio-metrics/yard/state')?.body).toBe('');
    expect(subscriber.newest('homeassistant/device/audio-metrics_yard/config')?.body).toBe('');
    receiver.show(['garden']);
    await expect.poll(() => subscriber.newest('audio-metrics/street/state')?.body).toBe('');
    expect(subscriber.newest('homeassistant/device/audio-metrics_street/config')?.body).toBe('');
    for (const kept of [CONFIG, STATE, foreign, others])
      expect(subscriber.newest(kept)?.body).toMatchObject({});
  });

  it('reports that the process was killed', async () => {
    const broker = await startMosquitto();
    const subscriber = await subscribe(broker);
    const running = startProcess(`mqtt://${broker.host}`);
    await expect.poll(() => subscriber.newest('audio-metrics/status')?.body).toBe('online');
    running.kill('SIGKILL');
    await expect.poll(() => subscriber.newest('audio-metrics/status')?.body).toBe('offline');
  });

  it('does not delay the end of the process, even if the broker hangs', async () => {
    const broker = await startMosquitto();
    const receiver = open(`mqtt://${broker.host}`);
    await receiver.send(message('a'), signal);
    broker.signal('SIGSTOP');
    const sending = receiver.send(message('b'), AbortSignal.timeout(RETRY_MS));
    await setImmediate(); // it is under way
    await Promise.all([receiver.close(), expect(sending).rejects.toThrow('timeout')]);
    await open(`mqtt://${broker.host}`).close();
    broker.signal('SIGCONT');
    expect(receiver.lines).toEqual([]);
  });
});

function startProcess(url: string, environment: Record<string, string> = {}) {
  const script = join(import.meta.dirname, 'show-one-station.ts');
  const child = spawn(process.execPath, [script, url], {
    env: { ...inherited(), ...environment },
    stdio: 'inherit',
  });
  onTestFinished(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  });
  return child;
}
