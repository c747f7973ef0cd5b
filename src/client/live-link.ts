// The link for subscriptions: keeps "Node.js 18 or newer" and `{ apiKey, headers, fetch }` of docs/reference/client.md,
// because tRPC's own link needs an EventSource. Reconnects to a lost stream, and ends on a final refusal.
import { type Operation, type OperationResultObserver, TRPCClientError, type TRPCLink } from '@trpc/client';
import { observable } from '@trpc/server/observable';
import { createParser } from 'eventsource-parser';
import type { AppRouter } from '../operations/router.ts';
import type { Connection } from './connection.ts';
import { createWaits, isFinal, refusalOf } from './service-error.ts';

/** A stream without a byte for this long is dead: the service sends a comment every 15 s. */
const SILENT_MS = 45_000;

/** Uses the REST stream: the service builds its frames once for all listeners, but tRPC frames for each listener. */
export function liveLink(connection: Connection): TRPCLink<AppRouter> {
  return () =>
    ({ op }) =>
      observable((observer) => {
        const ending = new AbortController();
        const end = () => ending.abort();
        op.signal?.addEventListener('abort', end);
        if (op.signal?.aborted) end();
        listen(connection, op, observer, ending.signal).then(
          () => observer.complete(),
          (error) => observer.error(error),
        );
        return () => {
          op.signal?.removeEventListener('abort', end);
          end();
        };
      });
}

/**
 * Reads stream after stream until the signal aborts. Each continues after the last event. After a lost connection it
 * waits for the service's retry time (1 to 3 s by default); after a refusal, 1 to 30 s, longer each time.
 *
 * @throws TRPCClientError for a final refusal
 */
async function listen(
  { restUrl, headers, fetch }: Connection,
  { path, input }: Operation,
  observer: OperationResultObserver<AppRouter, unknown>,
  signal: AbortSignal,
): Promise<void> {
  let { lastEventId, ...query } = Object(input);
  let retryMs = 1000 + 2000 * Math.random();
  const nextWait = createWaits();
  const parser = createParser({
    onRetry: (ms) => {
      retryMs = ms;
    },
    onEvent: ({ id, data }) => {
      if (id === undefined || signal.aborted) return;
      lastEventId = id;
      observer.next({ result: { id, data: { id, data: JSON.parse(data) } } });
    },
  });
  const read = async () => {
    const response = await fetch(`${restUrl}/${path.replace('.', '/')}?${new URLSearchParams(query)}`, {
      headers: {
        ...headers,
        accept: 'text/event-stream',
        ...(lastEventId && { 'last-event-id': lastEventId }),
      },
      signal,
    });
    if (!isWhole(response)) throw new TypeError('`fetch` did not return a Response');
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream');
    if (!response.ok || !response.body || !isStream) throw await refusalOf(response, path);
    observer.next({ result: { type: 'started' } });
    observer.next({ result: { type: 'state', state: 'pending', error: null } });
    parser.reset();
    await readText(response.body, parser.feed);
  };
  for (let error: TRPCClientError<AppRouter> | null = null; !signal.aborted; ) {
    observer.next({ result: { type: 'state', state: 'connecting', error } });
    const failure: unknown = await read().catch((thrown: unknown) => thrown);
    if (isFinal(failure)) throw failure;
    error = failure === undefined ? null : TRPCClientError.from(Object(failure));
    await sleep(failure instanceof TRPCClientError ? nextWait() : retryMs, signal);
  }
}

/** Reads a text to its end, or until it stops arriving. */
async function readText(body: ReadableStream<Uint8Array>, take: (piece: string) => void): Promise<void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const cancel = () => void reader.cancel().catch(() => {});
  try {
    for (;;) {
      const silence = setTimeout(cancel, SILENT_MS);
      const { done, value } = await reader.read().finally(() => clearTimeout(silence));
      if (done) return;
      take(decoder.decode(value, { stream: true }));
    }
  } finally {
    cancel();
  }
}

/** Whether it is a full `Response`: tRPC's type of `fetch` promises less. */
const isWhole = (response: object): response is Response => 'status' in response && 'headers' in response;

const sleep = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done);
    if (signal.aborted) done();
  });
