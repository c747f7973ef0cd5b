// Opens the receiver that a URL of `--notify` names, by its scheme: a webhook, an ntfy topic or an MQTT broker.
import { createHmac, hash } from 'node:crypto';
import { post } from './http-post.ts';
import { mqttProblem } from './mqtt-url.ts';
import { ntfyUrlProblem, openNtfy } from './ntfy.ts';
import type { Receiver, ReceiverIo } from './receiver.ts';

interface Scheme {
  open(url: URL, io: ReceiverIo): Receiver | Promise<Receiver>;
  /** @returns what is wrong with a URL of the scheme, or undefined */
  problemOf(url: URL): string | undefined;
}

/** @param io its secret signs each body, as `X-Signature: sha256=<HMAC in hex>` */
export function openWebhook(url: URL, { webhookSecret }: ReceiverIo): Receiver {
  return {
    name: url.origin,
    async send(message, signal) {
      const body = JSON.stringify(message);
      const signature = webhookSecret && createHmac('sha256', webhookSecret).update(body).digest('hex');
      await post(url, signature ? { 'x-signature': `sha256=${signature}` } : {}, body, signal);
    },
    close: async () => {},
  };
}

const WEBHOOK: Scheme = { open: openWebhook, problemOf: () => undefined };
const NTFY: Scheme = { open: openNtfy, problemOf: ntfyUrlProblem };
const MQTT: Scheme = {
  // loaded only if needed: MQTT.js takes 15 MB
  open: async (url, io) => (await import('./mqtt.ts')).openMqtt(url, io),
  problemOf: mqttProblem,
};
const SCHEMES = new Map([
  ['http:', WEBHOOK],
  ['https:', WEBHOOK],
  ['ntfy:', NTFY],
  ['ntfys:', NTFY],
  ['mqtt:', MQTT],
  ['mqtts:', MQTT],
]);

export const RECEIVERS =
  'must be a webhook (https://host/path), an ntfy topic (ntfys://host/topic) or an MQTT broker (mqtts://user:password@host). For a receiver without TLS, write http, ntfy or mqtt';

/** @returns what is wrong with a receiver's URL, or undefined. It never repeats the URL, which may hold a password */
export function problemOf(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const scheme = url && SCHEMES.get(url.protocol);
  return url && scheme && url.hostname !== '' ? scheme.problemOf(url) : RECEIVERS;
}

/** @throws Error if no receiver has the URL's scheme */
export async function openReceiver(url: URL, io: ReceiverIo): Promise<Receiver> {
  const scheme = SCHEMES.get(url.protocol);
  if (!scheme) throw new Error(`--notify ${RECEIVERS}`);
  return scheme.open(url, io);
}

/** The key of a receiver in the outbox. It stays the same if the user or the password changes. */
export function receiverKey(url: URL): string {
  const bare = new URL(url);
  bare.username = '';
  bare.password = '';
  return hash('sha256', bare.href).slice(0, 16);
}
