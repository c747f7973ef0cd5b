// The URL of an MQTT broker, such as mqtts://user:password@host, and reports of its connection.
import { setTimeout as delay } from 'node:timers/promises';
import type { MqttClient } from 'mqtt';

/** @returns what is wrong with the URL of a broker, without repeating the URL. The path has other rules for each use */
export function brokerProblem(url: URL): string | undefined {
  if (!['mqtt:', 'mqtts:'].includes(url.protocol)) return 'it must begin with mqtt:// or mqtts://';
  if (url.hostname === '') return 'it must name the host of the broker, such as mqtt://user:password@host';
  if (url.search !== '' || url.hash !== '')
    return 'it must not have a query or a fragment: write ? and # as %3F and %23 in the password';
  if (url.password !== '' && url.username === '') return 'it has a password, so it also needs a user';
  try {
    brokerOf(url);
  } catch {
    return 'its user and password must be percent-encoded: write % as %25';
  }
  return undefined;
}

/** @returns options for MQTT.js, which knows the default ports */
export const brokerOf = ({ protocol, hostname, port, username, password }: URL) => ({
  protocolVersion: 5 as const,
  keepalive: 30,
  connectTimeout: 10_000,
  reconnectOnConnackError: true,
  resubscribe: false,
  protocol: protocol === 'mqtts:' ? ('mqtts' as const) : ('mqtt' as const),
  host: hostname.replace(/^\[|\]$/g, ''),
  ...(port !== '' && { port: Number(port) }),
  ...(username !== '' && { username: decodeURIComponent(username) }),
  ...(password !== '' && { password: decodeURIComponent(password) }),
});

/** The reason if another client connects with the same id. */
const TAKEN_OVER = 0x8e;
/** Sooner, two such clients would only take the session from each other. */
const TAKEN_OVER_MS = 600_000;

/** How long to wait for the broker at the end. */
const CLOSE_MS = 1500;

/** @param ended whether the broker knows. By default, tells it if it is connected */
export async function closeClient(
  client: MqttClient,
  ended = client.endAsync(!client.connected),
): Promise<void> {
  await Promise.race([ended, delay(CLOSE_MS, undefined, { ref: false })]);
  client.stream.destroy();
}

/** Reports each reason for a lost connection once, and when the connection is back. @returns a function that ends this */
export function reportConnection(
  client: MqttClient,
  name: string,
  reconnectMs: number,
  say: (line: string) => void,
): () => void {
  const { options } = client;
  const reasons = new Set<string>();
  let isOver = false;
  function lost(reason: string): void {
    if (isOver || reasons.has(reason)) return;
    reasons.add(reason);
    const pauseMs = options.reconnectPeriod ?? reconnectMs;
    say(`Warning: no connection to ${name}: ${reason}; trying again every ${pauseMs / 1000} s`);
  }
  client.on('connect', () => {
    options.reconnectPeriod = reconnectMs;
    if (reasons.size > 0) say(`Connected to ${name}`);
    reasons.clear();
  });
  client.on('disconnect', ({ reasonCode }) => {
    if (reasonCode !== TAKEN_OVER) return;
    options.reconnectPeriod = TAKEN_OVER_MS;
    lost(`another program took over its client id ${options.clientId}: end one of the two`);
  });
  client.on('error', (error) => lost(reasonOf(error)));
  client.on('close', () => {
    if (reasons.size === 0) lost('the broker closed it');
  });
  return () => {
    isOver = true;
  };
}

const NOT_AUTHORIZED: readonly (number | string)[] = [0x86, 0x87];
/** Of MQTT 3.1.1, and of MQTT 5. */
const OTHER_VERSION: readonly (number | string)[] = [1, 0x84];

function reasonOf(error: Error & { code?: number | string }): string {
  // a host with several addresses fails with an AggregateError
  const { message, code = '' }: typeof error = error instanceof AggregateError ? error.errors[0] : error;
  if (NOT_AUTHORIZED.includes(code)) return `${message}; check the user and the password in the URL`;
  if (OTHER_VERSION.includes(code))
    return 'the broker does not speak MQTT 5: it accepts MQTT 3.1.1 or older only. Update it, or choose another';
  if (/SELF_SIGNED|UNABLE_TO/.test(`${code}`))
    return `${message}; name the file of its certificate authority in NODE_EXTRA_CA_CERTS`;
  return message;
}
