// Sends messages and the state of stations to an MQTT broker, for example for Home Assistant.
import { randomUUID } from 'node:crypto';
import { connect } from 'mqtt';
import { brokerOf, closeClient, reportConnection } from '../commands/mqtt-broker.ts';
import { unlessAborted } from '../signal.ts';
import {
  ALL_CONFIGS,
  configTopic,
  deviceConfig,
  stateTopic,
  stationOfConfig,
  statusTopic,
} from './home-assistant.ts';
import { prefixOf } from './mqtt-url.ts';
import type { Receiver, ReceiverIo, StationShown } from './receiver.ts';

/** Connects, and reconnects whenever the connection is lost. @param url one in which `mqttProblem` finds no problem */
export function openMqtt(url: URL, io: ReceiverIo, reconnectMs = 5000): Required<Receiver> {
  const name = `${url.protocol}//${url.host}`;
  const prefix = prefixOf(url);
  const status = statusTopic(prefix);
  // not one fixed client id: mosquitto before 2.0.15 does not tell a client that another has taken over its id
  /** The topic that retains the id of the newest client. */
  const newest = `${prefix}/client`;
  const clientId = `${prefix}-${Date.now().toString(36)}-${randomUUID().slice(0, 8)}`; // later ids sort later
  const client = connect({
    ...brokerOf(url),
    clientId,
    ...(!io.isTest && { will: { topic: status, payload: Buffer.from('offline'), qos: 1, retain: true } }),
    reconnectPeriod: reconnectMs,
    queueQoSZero: false,
  });
  const endReport = reportConnection(client, name, reconnectMs, io.say);
  let connected = Promise.withResolvers<void>();
  let isConnected = false;
  let isOver = false;
  let latest: { id: string; acknowledged: Promise<unknown> } | undefined;
  let shown: readonly StationShown[] | undefined;
  /** Our configs that the broker retains, by station. */
  const configs = new Map<string, string>();

  const retain = (topic: string, payload: string) =>
    io.isTest || client.publish(topic, payload, { retain: true });

  function publishShown(): void {
    if (!isConnected || shown === undefined) return;
    for (const station of shown) {
      const config = deviceConfig(prefix, station, io.version);
      if (configs.get(station.name) !== config) retain(configTopic(prefix, station.name), config);
      configs.set(station.name, config);
      const { name: _, place_name, link, ...state } = station;
      retain(stateTopic(prefix, station.name), JSON.stringify(state));
    }
    removeOthers();
  }

  function removeOthers(): void {
    for (const station of configs.keys()) {
      if (shown === undefined || shown.some(({ name }) => name === station)) continue;
      retain(configTopic(prefix, station), '');
      retain(stateTopic(prefix, station), '');
      configs.delete(station);
    }
  }

  function end(): Promise<void> {
    isOver = true;
    endReport();
    const ended = client.endAsync(!isConnected);
    disconnected();
    return ended;
  }

  function disconnected(): void {
    if (isConnected) connected = Promise.withResolvers();
    isConnected = false;
  }

  client.on('connect', () => {
    configs.clear();
    isConnected = true;
    // before the subscription: if two clients start together, one of them continues
    retain(newest, clientId);
    retain(status, 'online');
    publishShown();
    client.subscribe([newest, status, ALL_CONFIGS], { qos: 0, nl: true }, () => {});
    connected.resolve();
  });
  client.on('message', (topic, payload) => {
    const text = payload.toString();
    if (isOver) return;
    // the id of an earlier run, or none
    if (topic === newest && text < clientId) retain(newest, clientId);
    if (topic === newest && text > clientId) {
      io.say(
        `Another client with the prefix ${prefix} has connected to ${name}, so this one has stopped. End the other one, or choose another prefix (the path of the URL); then restart this one`,
      );
      void end();
      return;
    }
    // the broker noticed late that an earlier run had ended, and published that run's will
    if (topic === status && text === 'offline') retain(status, 'online');
    const station = stationOfConfig(prefix, topic, text);
    if (station === undefined || configs.has(station)) return;
    configs.set(station, text);
    removeOthers();
  });
  client.on('close', disconnected);

  return {
    name,
    async send(message, signal) {
      // MQTT.js itself resends a message after a lost connection, even if the caller aborted
      if (latest?.id !== message.id) {
        await unlessAborted(connected.promise, signal);
        const topic = `${prefix}/${message.station}/message`;
        const sent = {
          id: message.id,
          acknowledged: client.publishAsync(topic, JSON.stringify(message), { qos: 1 }),
        };
        latest = sent;
        sent.acknowledged.catch(() => {
          if (latest === sent) latest = undefined;
        });
      }
      await unlessAborted(latest.acknowledged, signal);
    },
    show(stations) {
      shown = stations;
      publishShown();
    },
    async close() {
      if (isConnected) retain(status, 'offline');
      await closeClient(client, end());
    },
  };
}
