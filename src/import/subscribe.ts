// Stores the messages of an MQTT broker. Only `import --mqtt` loads this file and MQTT.js.
import { hash, randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { connect, type IPublishPacket } from 'mqtt';
import { BadInput } from '../commands/input-files.ts';
import { brokerOf, closeClient, reportConnection } from '../commands/mqtt-broker.ts';
import { createOnceAMinute, messageOf } from '../commands/progress.ts';
import type { RecorderIo } from '../recorder/recorder-io.ts';
import { untilAborted } from '../signal.ts';
import { hasTime } from './column-choice.ts';
import { openDeliveries } from './deliveries.ts';
import { type ImportOptions, topicLevel } from './import-options.ts';

/** How long the broker keeps messages for an importer that is away. */
const SESSION_SECONDS = 30 * 86_400;
/** The same without times: a restart loses no message, and later ones would all get one time. */
const TIMELESS_SECONDS = 60;
const RECONNECT_MS = 2000;
const AGAIN_MS = 1000;
/** How many messages are remembered, to know those that the broker sends again. */
const REMEMBERED = 1000;

/**
 * Acknowledges a message once its points are on disk. So the broker sends again what a kill or a full disk interrupts.
 *
 * Ends with the signal. @throws BadInput if the broker refuses the topic
 */
export async function subscribeTo(
  { url, topic }: NonNullable<ImportOptions['broker']>,
  options: ImportOptions,
  io: RecorderIo,
): Promise<void> {
  const { passwordFile, retained, stationBy } = options;
  const password = passwordFile === undefined ? undefined : await readPassword(passwordFile);
  const { id } = await io.openSpool();
  const deliveries = await openDeliveries({ ...options, skipBad: true }, io);
  const haveTimes = !options.layout || hasTime(options.layout.columns);
  const name = `${url.protocol}//${url.host}`;
  const client = connect({
    ...brokerOf(url),
    ...(password !== undefined && { password }),
    // always the same, because the broker keeps the messages of a client by its id
    clientId: `audio-metrics-${hash('sha256', `${id} ${topic}`).slice(0, 8)}`,
    clean: false,
    properties: { sessionExpiryInterval: haveTimes ? SESSION_SECONDS : TIMELESS_SECONDS },
    reconnectPeriod: RECONNECT_MS,
  });
  const ended = reportConnection(client, name, RECONNECT_MS, io.progress);
  const saying = createOnceAMinute();
  const refusedTopic = Promise.withResolvers<never>();
  const taken = new LRUCache<string, Promise<void>>({ max: REMEMBERED });
  const underWay = new Set<Promise<void>>();

  async function take({ topic, payload }: IPublishPacket): Promise<void> {
    const body = typeof payload === 'string' ? Buffer.from(payload) : payload;
    const of = stationBy?.isOutside ? (topic.split('/')[topicLevel(stationBy) - 1] ?? '') : undefined;
    const delivery = { body, at: io.now(), from: `the topic ${topic}`, of, attempts: randomUUID() };
    for (;;)
      try {
        const refusal = await deliveries.take(delivery);
        if (refusal && saying.isDue())
          io.progress(`Warning: skipped a message of the topic ${topic}: ${refusal.why}`);
        return;
      } catch (error) {
        if (saying.isDue())
          io.progress(`Warning: a message waits in the broker until a retry succeeds: ${messageOf(error)}`);
        await delay(AGAIN_MS, undefined, { signal: io.signal });
      }
  }

  /** A message that is sent again has the same packet identifier, and is taken once. */
  function takeOnce(packet: IPublishPacket): Promise<void> {
    const { messageId, topic, payload, dup } = packet;
    const same = hash('sha256', `${messageId} ${topic}\n${payload}`);
    const before = dup ? taken.get(same) : undefined;
    const taking = before ?? take(packet);
    taken.set(same, taking);
    return taking;
  }

  // called for one message after the other; `done` acknowledges it
  client.handleMessage = (packet, done) => {
    if (packet.retain && !retained) return done();
    if (io.signal.aborted) return;
    const taking = takeOnce(packet).then(
      () => done(),
      () => {}, // interrupted: the broker sends it again
    );
    underWay.add(taking);
    void taking.then(() => underWay.delete(taking));
  };
  client.on('connect', () => {
    client.subscribe(topic, { qos: 1, rh: retained ? 1 : 2 }, (error) => {
      if (error && client.connected)
        refusedTopic.reject(new BadInput(`--mqtt: ${name} refuses the topic ${topic}: ${error.message}`));
      else if (!error) io.progress(`Subscribed to ${topic} on ${name}`);
    });
  });
  try {
    await Promise.race([untilAborted(io.signal), refusedTopic.promise]);
  } finally {
    await Promise.all(underWay);
    ended();
    await closeClient(client);
    await deliveries.close();
  }
}

async function readPassword(path: string): Promise<string> {
  const text = await readFile(path, 'utf8').catch((cause) => {
    throw new BadInput(`--password-file: ${messageOf(cause)}`, { cause });
  });
  return text.replace(/\r?\n$/, '');
}
