// The stream of the typed client over a simulated network, for events that a real service rarely sends.
import { expect, it, onTestFinished, vi } from 'vitest';
import { createClient } from '../../src/client/index.ts';

const EVENT = 'data: {"restart_from":null,"points":[],"stale":false}\nid: 2026~1\n\n';
const HTML = { 'content-type': 'text/html' };

/** A stream that sends one event in two pieces, and then nothing. */
const silent = (signal?: AbortSignal) =>
  new Response(
    new ReadableStream({
      start(controller) {
        for (const piece of [`retry: 1000\n\n${EVENT.slice(0, 20)}`, EVENT.slice(20)])
          controller.enqueue(new TextEncoder().encode(piece));
        signal?.addEventListener('abort', () => controller.error(signal.reason));
      },
    }),
    { headers: { 'content-type': 'text/event-stream' } },
  );

it("reconnects with the last event's id after a proxy's answer and after silence, until its signal aborts", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const answers = [
    new Response('<p>', { headers: HTML }),
    new Response('<p>', { status: 404, headers: HTML }),
  ];
  const ids: (string | null)[] = [];
  const fetch = async (_: unknown, init?: RequestInit) => {
    ids.push(new Headers(init?.headers).get('last-event-id'));
    return answers.shift() ?? silent(init?.signal ?? undefined);
  };
  const ending = new AbortController();
  const received: unknown[] = [];
  createClient('http://service/noise/', { fetch: fetch as never }).audio.live.subscribe(
    {},
    {
      signal: ending.signal,
      onData: ({ id }) => received.push(id),
      onError: (error) => received.push(error),
      onComplete: () => received.push('over'),
    },
  );
  await vi.advanceTimersByTimeAsync(20_000);
  expect([ids, received]).toEqual([[null, null, null], ['2026~1']]);
  await vi.advanceTimersByTimeAsync(46_000);
  expect([ids.at(-1), received]).toEqual(['2026~1', ['2026~1', '2026~1']]);
  ending.abort();
  await vi.advanceTimersByTimeAsync(0);
  expect(received.at(-1)).toBe('over');
});
