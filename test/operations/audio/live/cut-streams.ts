// Two services on one database, and listeners that reconnect to them in turn when their streams are cut.
import { EventSource } from 'eventsource';
import { expect, onTestFinished } from 'vitest';
import { createClient, follow, type Point } from '../../../../src/client/index.ts';
import { LiveEvent } from '../../../../src/operations/audio/live/contract.ts';
import type { Engine } from '../../../engines.ts';
import { startBeside, startTestService, type TestService } from '../../../service.ts';

type Row = Pick<Point, 'time' | 'rms_db' | 'is_silence'>;

const textOf = (points: readonly Row[]) =>
  points.map(({ time, rms_db, is_silence }) => `${time} ${rms_db} ${is_silence}`).sort();

export async function cutStreams(engine: Engine) {
  const writer = await startTestService(engine);
  const services: TestService[] = [];
  const open = async (index: number) => {
    services[index] = await startBeside(writer, { clock: Date.now, livePollMs: 100 });
  };
  await open(0);
  await open(1);
  let sent = 0;
  /** Sends requests to the services in turn, whatever address the client uses. */
  const inTurn: typeof fetch = (url, init) => {
    const { pathname, search } = new URL(`${url}`);
    return fetch(`${services[sent++ % 2]?.url}${pathname}${search}`, init);
  };

  let plain: Point[] = [];
  const source = new EventSource('http://service/api/v1/audio/live?from=now-1m', { fetch: inTurn });
  source.onmessage = ({ data }) => {
    const { restart_from, points } = LiveEvent.parse(JSON.parse(data));
    if (restart_from !== null) plain = plain.filter(({ time }) => time < restart_from);
    plain.push(...points);
  };
  /** The status that made the EventSource give up. */
  let refusal: number | undefined;
  source.onerror = ({ code }) => {
    if (source.readyState === source.CLOSED) refusal = code;
  };
  let typed: Point[] = [];
  const client = createClient('http://service', { fetch: inTurn as never });
  const following = follow(
    client,
    { from: 'now-1m' },
    {
      onPoints: (points) => typed.push(...points),
      onRestart: (from) => {
        typed = typed.filter(({ time }) => time < from);
      },
    },
  );
  onTestFinished(async () => {
    source.close();
    following.unsubscribe();
    for (const each of [...services, writer]) await each.close();
  });

  return {
    /** Stores current points, late points, points of one time, and duplicates. */
    async write(count: number) {
      const now = Date.now();
      const rows = Array.from({ length: count }, (_, i) => {
        const late = i % 5 === 0 ? Math.random() * 9500 : i * 10;
        const at = i % 3 === 0 ? Math.floor((now - late) / 100) * 100 : now - late;
        return `('${new Date(at).toISOString()}', ${-(i % 40)}, null, ${i % 2 === 0})`;
      });
      await writer.sql(`insert into audio_data (time, rms_db, frequency_hz, is_silence)
        values ${rows.join()}, ${rows[0]}, ${rows[0]}`);
    },
    cut: (index: number) => services[index]?.app.server.closeAllConnections(),
    async restart(index: number) {
      services[index]?.app.shutdown.begin();
      await services[index]?.app.close();
      await open(index);
    },
    /** Waits until both listeners have as many points as the table, and compares them. */
    async expectAll() {
      const all =
        await writer.sql(`select to_char(time at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as time,
        rms_db, is_silence from audio_data`);
      await expect
        .poll(() => [refusal, plain.length, typed.length])
        .toEqual([undefined, all.length, all.length]);
      const expected = textOf(all);
      expect(textOf(plain), 'over REST').toEqual(expected);
      expect(textOf(typed), 'by the typed client').toEqual(expected);
    },
  };
}
