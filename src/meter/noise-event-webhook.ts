// Posts noise events to a webhook, each when it has ended; src/http/docs/openapi-webhooks.ts describes the requests.
import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AudioMetricsClient, Outputs } from '../client/index.ts';
import { type Levels, unitOf } from '../contract/periods.ts';
import { createEndedEvents, type NoiseEvent, type Rule } from './ended-events.ts';

export interface WebhookOptions extends Rule {
  readonly url: string;
  /** Signs each body, as `X-Signature: sha256=<HMAC in hex>`. */
  readonly secret?: string | undefined;
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
  const { threshold, levels = 'stored', signal } = options;
  const endedBy = createEndedEvents(client, options, options.from);
  let isAtWork = false;

  async function post(event: NoiseEvent, periods: Periods): Promise<void> {
    const scale = scaleAt(event.start, periods, levels);
    const body = JSON.stringify({ id: `${event.start}~${threshold}`, ...event, scale });
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
        redirect: 'manual', // it might lead the event, and its signature, to anyone
        signal: AbortSignal.any([signal, AbortSignal.timeout(30_000)]),
      }).then(refusalOf, (error: Error) => error.message);
      if (refused === undefined || signal.aborted) return;
      say(
        `The webhook did not take the event of ${event.start}: ${refused}. It is posted again in ${wait / 1000} s`,
      );
      await sleep(wait, undefined, { signal }).catch(() => {});
    }
  }

  async function postEnded(newest: string): Promise<void> {
    let periods: Periods | undefined; // asked for once, and only where there are events
    for await (const event of endedBy(newest)) {
      periods ??= (await client.service.info.query()).periods;
      await post(event, periods);
      if (signal.aborted) return;
    }
  }

  return {
    /** Posts the events that have ended by a time. Does nothing while an earlier call is at work. */
    post(newest: string): void {
      if (isAtWork) return; // the next points look again
      isAtWork = true;
      postEnded(newest)
        .catch(({ message }: Error) => options.say(`Noise events could not be asked for: ${message}`))
        .finally(() => {
          isAtWork = false;
        });
    },
  };
}

type Periods = Outputs['service']['info']['periods'];

/** @returns what a level of that time is relative to: as the recorder was told then */
function scaleAt(time: string, periods: Periods, levels: Levels) {
  const {
    unit = 'dBFS',
    weighting = null,
    reference_db = null,
  } = periods.find(({ since }) => since <= time) ?? {};
  if (levels === 'absolute') return { levels, unit: unitOf({ weighting, reference_db: 0 }), reference_db: 0 };
  return { levels, unit, reference_db: reference_db ?? 0 };
}

/** @returns why an answer is not an acceptance. What its body says is not read, nor kept */
async function refusalOf({ ok, status, body }: Response): Promise<string | undefined> {
  await body?.cancel();
  if (ok) return undefined;
  return status >= 300 && status < 400
    ? `it answered ${status}, and redirects are not followed`
    : `it answered ${status}`;
}
