// Opens the receiver that a URL of `--notify` names, by its scheme: a webhook, ntfy
// (https://docs.ntfy.sh/publish/#publish-as-json), an Apprise API (https://appriseit.com/api/) or MQTT.
import { createHmac, hash } from 'node:crypto';
import querystring from 'node:querystring';
import type { MessageKind } from '../contract/messages.ts';
import { mqttProblem } from './mqtt-url.ts';
import type { Receiver, ReceiverIo } from './receiver.ts';

interface Scheme {
  readonly protocol: RegExp;
  open(url: URL, io: ReceiverIo): Receiver | Promise<Receiver>;
  /** @returns what is wrong with a URL of the scheme, or undefined */
  problemOf(url: URL): string | undefined;
}

/** @param io its secret signs each body, as `X-Signature: sha256=<HMAC in hex>` */
export const openWebhook = (url: URL, { webhookSecret }: ReceiverIo): Receiver => ({
  name: url.origin,
  async send(message, signal) {
    const body = JSON.stringify(message);
    const signature = webhookSecret && createHmac('sha256', webhookSecret).update(body).digest('hex');
    await post(url, signature ? { 'x-signature': `sha256=${signature}` } : {}, body, signal);
  },
});

const DEFAULT = 3;
const HIGH = 4;

/** How ntfy shows each kind, with names of emoji as tags; and its type for Apprise. */
const SHOWN = {
  start: { priority: HIGH, tags: ['loud_sound'], type: 'warning' },
  end: { priority: DEFAULT, tags: ['sound'], type: 'info' },
  silent: { priority: HIGH, tags: ['warning'], type: 'failure' },
  back: { priority: DEFAULT, tags: ['white_check_mark'], type: 'success' },
  night: { priority: HIGH, tags: ['crescent_moon'], type: 'warning' },
} satisfies Record<MessageKind, object>;

const TOPIC = /\/([-_A-Za-z0-9]{1,64})$/;

/** The HTTP address: `ntfy` becomes http, `ntfys` https. */
const onHttp = (url: URL) => url.href.replace(/^ntfy/, 'http');

/** @returns the required form, or undefined if the URL names a topic */
export function ntfyUrlProblem(url: URL): string | undefined {
  const isTopic =
    /^ntfys?:$/.test(url.protocol) &&
    url.host !== '' &&
    TOPIC.test(url.pathname) &&
    URL.canParse(onHttp(url));
  if (isTopic && url.search === '' && url.hash === '') return undefined;
  return 'must be the address of a topic, such as ntfys://ntfy.sh/my-topic, without a query or fragment. A topic has 1 to 64 letters, digits, - and _';
}

/** @param io its token takes precedence over the credentials in the URL */
export function openNtfy(url: URL, { ntfyToken }: ReceiverIo): Receiver {
  const [, topic = ''] = TOPIC.exec(url.pathname) ?? [];
  const base = new URL('.', onHttp(url));
  return {
    name: `${url.protocol}//${url.host}`, // on public servers the topic is a secret
    async send({ id, station, kind, title, text, link }, signal) {
      // a repeat replaces the first notification (since ntfy 2.16; earlier versions show both)
      const sequence_id = hash('sha256', `${station} ${id}`, 'base64url');
      const { priority, tags } = SHOWN[kind];
      const body = { topic, title, message: text, priority, tags, click: link, sequence_id };
      const token = ntfyToken ? { authorization: `Bearer ${ntfyToken}` } : {};
      await post(base, token, JSON.stringify(body), signal);
    },
  };
}

const KEY = /\/notify\/[\w-]{1,128}\/?$/;

/** @returns the required form, or undefined if the URL names a configuration of an Apprise API */
export function appriseUrlProblem({ pathname, search, hash }: URL): string | undefined {
  if (KEY.test(pathname) && search === '' && hash === '') return undefined;
  return 'must be the address of a configuration, such as apprise+https://host/notify/KEY, without a query or fragment';
}

export function openApprise(url: URL): Receiver {
  const address = new URL(url.href.replace(/^apprise\+/, ''));
  return {
    name: `${url.protocol}//${url.host}`, // the key may be a secret
    async send({ kind, title, text, link }, signal) {
      const body = { title, body: `${text}\n${link}`, type: SHOWN[kind].type };
      const status = await post(address, {}, JSON.stringify(body), signal);
      if (status === 204) throw new Error('it answered 204: it has no configuration of this key');
    },
  };
}

const SCHEMES: readonly Scheme[] = [
  { protocol: /^https?:$/, open: openWebhook, problemOf: () => undefined },
  { protocol: /^ntfys?:$/, open: openNtfy, problemOf: ntfyUrlProblem },
  { protocol: /^apprise\+https?:$/, open: openApprise, problemOf: appriseUrlProblem },
  {
    protocol: /^mqtts?:$/,
    // loaded only if needed: MQTT.js takes 15 MB
    open: async (url, io) => (await import('./mqtt.ts')).openMqtt(url, io),
    problemOf: mqttProblem,
  },
];
const schemeOf = (url: URL) => SCHEMES.find(({ protocol }) => protocol.test(url.protocol));

export const RECEIVERS =
  'must be a webhook (https://host/path), an ntfy topic (ntfys://host/topic), an Apprise API (apprise+https://host/notify/KEY) or an MQTT broker (mqtts://user:password@host). For a receiver without TLS, write http, ntfy, apprise+http or mqtt';

/** @returns what is wrong with a receiver's URL, or undefined. It never repeats the URL, which may hold a password */
export function problemOf(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const scheme = url && schemeOf(url);
  return url && scheme && url.hostname !== '' ? scheme.problemOf(url) : RECEIVERS;
}

/** @throws Error if no receiver has the URL's scheme */
export async function openReceiver(url: URL, io: ReceiverIo): Promise<Receiver> {
  const scheme = schemeOf(url);
  if (!scheme) throw new Error(`--notify ${RECEIVERS}`);
  return scheme.open(url, io);
}

/** The key of a receiver in the outbox. It stays the same if the user or the password changes. */
export const receiverKey = (url: URL): string => hash('sha256', withoutCredentials(url).href).slice(0, 16);

const TIMEOUT_MS = 30_000;

/**
 * @param url its credentials are sent as `Authorization: Basic`, unless `headers` has an authorization
 * @returns the status, a 2xx
 * @throws Error with the reason if the message was not accepted. The reason contains no part of the URL except the host
 */
async function post(url: URL, headers: Readonly<Record<string, string>>, body: string, signal: AbortSignal) {
  // fetch refuses a URL with credentials (Fetch, 5.4)
  const response = await fetch(withoutCredentials(url), {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...basicOf(url), ...headers },
    body,
    redirect: 'manual', // a redirect could send the message and its signature to anyone
    signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
  }).catch((error: Error) => {
    throw signal.aborted ? error : new Error(reasonOf(error));
  });
  await response.body?.cancel().catch(() => {}); // the body is not used
  const { ok, status } = response;
  if (ok) return status;
  const isRedirect = status >= 300 && status < 400;
  throw new Error(`it answered ${status}${isRedirect ? ', and redirects are not followed' : ''}`);
}

const withoutCredentials = (url: URL): URL => Object.assign(new URL(url), { username: '', password: '' });

function basicOf({ username, password }: URL) {
  if (username === '' && password === '') return {};
  // unlike decodeURIComponent, keeps a lone %
  const credentials = [username, password].map(querystring.unescape).join(':');
  return { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` };
}

/** Quotes only the cause of a failed fetch: the message of the error itself may contain the URL. */
function reasonOf({ name, cause }: Error): string {
  if (name === 'TimeoutError') return `it did not answer within ${TIMEOUT_MS / 1000} s`;
  if (!(cause instanceof Error)) return 'it cannot be reached';
  return cause.message || String(Reflect.get(cause, 'code')); // a cause with several addresses has no message
}
