// Publishes messages to an ntfy topic (https://docs.ntfy.sh/publish/#publish-as-json).
import { createHash } from 'node:crypto';
import type { MessageKind } from '../contract/messages.ts';
import { post } from './http-post.ts';
import type { Receiver, ReceiverIo } from './receiver.ts';

const DEFAULT = 3;
const HIGH = 4;

/** How ntfy shows each kind. Tags are names of emoji. */
const SHOWN: Record<MessageKind, { readonly priority: number; readonly tags: readonly string[] }> = {
  start: { priority: HIGH, tags: ['loud_sound'] },
  end: { priority: DEFAULT, tags: ['sound'] },
  silent: { priority: HIGH, tags: ['warning'] },
  back: { priority: DEFAULT, tags: ['white_check_mark'] },
  night: { priority: HIGH, tags: ['crescent_moon'] },
};

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

/**
 * @param url a URL without an {@link ntfyUrlProblem}
 * @param io its token takes precedence over the credentials in the URL
 */
export function openNtfy(url: URL, { ntfyToken }: ReceiverIo): Receiver {
  const [, topic = ''] = TOPIC.exec(url.pathname) ?? [];
  const base = new URL('.', onHttp(url));
  return {
    name: `${url.protocol}//${url.host}`, // on public servers the topic is a secret
    async send({ id, station, kind, title, text, link }, signal) {
      // a repeat replaces the first notification (since ntfy 2.16; earlier versions show both)
      const sequence_id = createHash('sha256').update(`${station} ${id}`).digest('base64url');
      const body = { topic, title, message: text, ...SHOWN[kind], click: link, sequence_id };
      const token = ntfyToken ? { authorization: `Bearer ${ntfyToken}` } : {};
      await post(base, token, JSON.stringify(body), signal);
    },
    close: async () => {},
  };
}
