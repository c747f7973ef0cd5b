// Posts noise events to a webhook, each when it has ended.
import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AudioMetricsClient, Outputs } from '../client/index.ts';

type NoiseEvent = Outputs['events']['list']['events'][number];

export interface WebhookOptions {
  readonly url: string;
  /** Signs each body, as `X-Signature: sha256=<HMAC in hex>`. */
  readonly secret?: string | undefined;
  readonly threshold: number;
  /** The service's default if left out. */
  readonly holdSeconds?: number | undefined;
  /** Only events that end after this are posted. A canonical time. */
  readonly from: string;
  readonly signal: AbortSignal;
  say(line: string): void;
}

/** Waits between tries. */
const [FIRST_WAIT_MS, LONGEST_WAIT_MS] = [1000, 60_000];

/**
 * Posts every event at least once, in the order of their ends, and retries until it is accepted (2xx). A receiver tells
 * repeats by `id`.
 */
export function createWebhook(client: AudioMetricsClient, options: WebhookOptions) {
  const { threshold, holdSeconds, signal } = options;
  let from = options.from;
  let isAtWork = false;

  async function ended(newest: string): Promise<NoiseEvent[]> {
    const events: NoiseEvent[] = [];
    let cursor: string | undefined;
    do {
      const page = await client.events.list.query({
        threshold,
        from,
        limit: 1000,
        ...(holdSeconds !== undefined && { hold_seconds: holdSeconds }),
        ...(cursor !== undefined && { cursor }),
      });
      // until the hold is over, a loud point would continue it
      const isOver = ({ end }: NoiseEvent) => Date.parse(newest) - Date.parse(end) > page.hold_seconds * 1000;
      events.push(...page.events.filter(isOver));
      cursor = page.next_cursor ?? undefined;
    } while (cursor !== undefined);
    return events.reverse();
  }

  async function post(event: NoiseEvent): Promise<void> {
    const body = JSON.stringify({ id: `${event.start}~${threshold}`, ...event });
    const { url, secret, say } = options;
    const signature = secret && createHmac('sha256', secret).update(body).digest('hex');
    for (let wait = FIRST_WAIT_MS; !signal.aborted; wait = Math.min(2 * wait, LONGEST_WAIT_MS)) {
      const refused = await fetch(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(signature && { 'x-signature': `sha256=${signature}` }),
        },
        body,
        signal: AbortSignal.any([signal, AbortSignal.timeout(30_000)]),
      }).then(
        ({ ok, status }) => (ok ? undefined : `it answered ${status}`),
        (error: Error) => error.message,
      );
      if (refused === undefined || signal.aborted) return;
      say(
        `The webhook did not take the event of ${event.start}: ${refused}. It is posted again in ${wait / 1000} s`,
      );
      await sleep(wait, undefined, { signal }).catch(() => {});
    }
  }

  async function postEnded(newest: string): Promise<void> {
    for (const event of await ended(newest)) {
      await post(event);
      if (signal.aborted) return;
      from = event.end;
    }
  }

  return {
    /** Posts the events that have ended by a time. Does nothing while an earlier call is at work. */
    post(newest: string): void {
      if (isAtWork) return; // the next points look again
      isAtWork = true;
      postEnded(newest)
        .catch((error: Error) => options.say(`Noise events could not be asked for: ${error.message}`))
        .finally(() => {
          isAtWork = false;
        });
    },
  };
}
