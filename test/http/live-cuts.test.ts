// A stream under what happens to streams: cuts, services that stop and begin, two of them in turn, late and equal points.
import { setTimeout as sleep } from 'node:timers/promises';
import { EventSource } from 'eventsource';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createClient, follow, type Point } from '../../src/client/index.ts';
import { LiveEvent } from '../../src/contract/live.ts';
import { describeEachEngine } from '../engines.ts';
import { startTestService, type TestService } from '../service.ts';

/** How long points are written; CONTRIBUTING says how to ask for more. */
const { LIVE_SECONDS = '6' } = process.env;
const RATE = 100;

describeEachEngine('A stream that is cut', (engine) => {
  const services: TestService[] = [];
  let writer: TestService;
  beforeAll(async () => {
    writer = await startTestService(engine);
  });
  afterAll(async () => {
    for (const each of [...services, writer]) await each.close();
  });

  it('gives every listener what the table has', {
    timeout: 120_000 + Number(LIVE_SECONDS) * 1000,
  }, async () => {
    /** A service on the writer's database. */
    const open = async (place: number) => {
      services[place] = await startTestService(
        { ...engine, open: async () => ({ ...writer, close: async () => {} }) },
        { clock: Date.now, livePollMs: 100 },
      );
    };
    await open(0);
    await open(1);
    let turn = 0;
    /** Asks the services in turn, wherever the client thinks that they are. */
    const inTurn: typeof fetch = (url, init) => {
      const { pathname, search } = new URL(`${url}`);
      return fetch(`${services[turn++ % 2]?.url}${pathname}${search}`, init);
    };

    let plain: Point[] = [];
    const source = new EventSource(`http://service/api/v1/audio/live?from=now-1m`, { fetch: inTurn });
    source.onmessage = ({ data }) => {
      const { restart_from, points } = LiveEvent.parse(JSON.parse(data));
      if (restart_from !== null) plain = plain.filter(({ time }) => time < restart_from);
      plain.push(...points);
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

    const end = Date.now() + Number(LIVE_SECONDS) * 1000;
    let [cuts, restarts] = [0, 0];
    const disturb = async () => {
      while (Date.now() < end) {
        await sleep(Number(LIVE_SECONDS) * 40);
        const place = cuts % 2;
        if (cuts++ % 7 === 3) {
          restarts++;
          services[place]?.app.shutdown.begin();
          await services[place]?.app.close();
          await open(place);
        } else services[place]?.app.server.closeAllConnections();
      }
    };
    const write = async () => {
      for (let n = 0; Date.now() < end; n++) {
        const now = Date.now();
        const rows = Array.from({ length: RATE / 10 }, (_, i) => {
          const late = i % 5 === 0 ? Math.random() * 9500 : i * 10;
          const at = i % 3 === 0 ? Math.floor((now - late) / 100) * 100 : now - late;
          return `('${new Date(at).toISOString()}', ${-(n % 40)}, null, ${i % 2 === 0})`;
        });
        await writer.sql(`insert into audio_data (time, rms_db, frequency_hz, is_silence)
          values ${rows.join()}, ${rows[0]}, ${rows[0]}`);
        await sleep(100);
      }
    };
    await Promise.all([disturb(), write()]);
    expect([cuts > 10, restarts > 1]).toEqual([true, true]);

    const all =
      await writer.sql(`select to_char(time at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as time,
      rms_db, is_silence from audio_data`);
    const texts = (points: readonly { time: string; rms_db: number | null; is_silence: boolean }[]) =>
      points.map(({ time, rms_db, is_silence }) => `${time} ${rms_db} ${is_silence}`).sort();
    const expected = texts(all as Point[]);
    for (const last = Date.now() + 45_000; Date.now() < last; await sleep(100))
      if (plain.length === all.length && typed.length === all.length) break;
    source.close();
    following.unsubscribe();
    expect(texts(plain), 'over REST').toEqual(expected);
    expect(texts(typed), 'by the typed client').toEqual(expected);
  });
});
