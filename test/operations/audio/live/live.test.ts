import { EventSource } from 'eventsource';
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { createClient, follow, type Point } from '../../../../src/client/index.ts';
import { LiveEvent } from '../../../../src/operations/audio/live/contract.ts';
import { andOnCitus, describeOnWire } from '../../../engines.ts';
import { startBeside, startTestService, type TestService } from '../../../service.ts';

const POLL_MS = 20;

/** A listener's points. New points are appended; a restart drops all points from its time on. */
class Received {
  points: Point[] = [];
  restarts = 0;
  stale: boolean[] = [];
  ids: string[] = [];

  take({ restart_from, points, stale }: LiveEvent) {
    if (restart_from !== null) this.restart(restart_from);
    this.points.push(...points);
    this.stale.push(stale);
  }

  restart(from: string) {
    this.restarts++;
    this.points = this.points.filter(({ time }) => time < from);
  }
}

const textOf = (points: readonly Point[]) => points.map((point) => JSON.stringify(point)).sort();

const until = (isSo: () => boolean | Promise<boolean>, what: string) =>
  expect.poll(isSo, { message: what, interval: 10 }).toBe(true);

andOnCitus(describeOnWire)('audio.live', (engine) => {
  let services: TestService[];
  let service: TestService;
  /** The number of streams that are open or about to open. */
  let streams = 0;
  const open = new Set<{ close(): void }>();
  beforeAll(async () => {
    service = await startTestService(engine, { clock: Date.now, livePollMs: POLL_MS });
    services = [service];
    service.app.server.on('request', ({ url }, response) => {
      if (!/audio.live/.test(`${url}`)) return;
      streams++;
      response.once('close', () => streams--);
    });
  });
  afterAll(async () => {
    for (const each of services.toReversed()) await each.close();
  });
  beforeEach(async () => {
    await nobodyListens();
    await service.sql('truncate audio_data');
  });

  /** Ends all streams, which empties the service's cache. */
  async function nobodyListens() {
    for (const source of open) source.close();
    open.clear();
    await until(() => streams === 0, 'the end of all streams');
  }

  let pointCount = 0;
  /** Stores points this many seconds before now. */
  const store = (ages: readonly number[], level = -20) =>
    service.sql(
      `insert into audio_data (time, rms_db, frequency_hz) values ${ages
        .map(
          (age) =>
            `('${new Date(Date.now() - age * 1000).toISOString()}', ${level}, ${100 + (pointCount++ % 500)})`,
        )
        .join()}`,
    );
  async function stored(since = '0001-01-01T00:00:00Z'): Promise<Point[]> {
    const { points } = await service.client.audio.range.query({ from: since, to: 'now', limit: 10_000 });
    return points;
  }

  /** A plain EventSource on the REST path. */
  function listen(
    query = '',
    { lastEventId, at = service }: { lastEventId?: string; at?: TestService } = {},
  ) {
    const received = new Received();
    const source = new EventSource(`${at.url}/api/v1/audio/live?${query}`, {
      fetch: (url, init) =>
        fetch(url, {
          ...init,
          headers: { ...init.headers, ...(lastEventId && { 'last-event-id': lastEventId }) },
        }),
    });
    open.add(source);
    source.onmessage = ({ data, lastEventId }) => {
      received.take(LiveEvent.parse(JSON.parse(data)));
      received.ids.push(lastEventId);
    };
    return { received, source, begun: () => until(() => received.ids.length > 0, 'the first event') };
  }

  it('sends every new point once, also late points, duplicates, and points of one time', async () => {
    await store([30, 20, 5]);
    const { received, begun } = listen();
    await begun();
    expect(received.points).toEqual([]);
    await store([0.1]);
    await store([0.3, 0.3, 4, 9.5]);
    await service.sql(`insert into audio_data select * from audio_data order by time desc limit 3`);
    await service.sql(`insert into audio_data values (now() - interval '1 s', null, null, true)`);
    await until(() => received.points.length >= 9, 'nine points');
    await store([0], -1); // a repeated point would arrive before this one
    await until(() => received.points.at(-1)?.rms_db === -1, 'the last point');
    received.points.pop();
    await service.sql('delete from audio_data where rms_db = -1');
    const all = textOf(await stored());
    const old = await stored();
    expect(textOf(received.points)).toHaveLength(9);
    for (const text of textOf(received.points)) expect(all).toContain(text);
    expect(
      textOf([...received.points, ...old.slice(0, 2), ...old.filter(({ time }) => time === old[2]?.time)]),
    ).toHaveLength(12);
    expect(received.restarts).toBe(0);
  });

  it('sends future points at their time, and never sends points that come too late', async () => {
    let later = 0;
    const other = await startBeside(service, { clock: () => Date.now() + later, livePollMs: POLL_MS });
    services.push(other);
    await store([1]);
    const { received, begun } = listen('', { at: other });
    await begun();
    await store([-60], -40); // in the future
    await store([-3600], -50);
    await store([60], -30); // more than 10 s older than the newest, however slow the machine
    await store([0]);
    const levels = () => received.points.map(({ rms_db }) => rms_db);
    await until(() => levels().length > 0, 'the current point');
    expect(levels()).toEqual([-20]);
    later = 61_000;
    await until(() => levels().length > 1, 'the point whose time has come');
    expect(levels()).toEqual([-20, -40]);
  });

  it('joins history and tail without a gap or a repetition', async () => {
    await store(Array.from({ length: 2500 }, (_, n) => 60 - n / 50));
    const writer = (async () => {
      for (let n = 0; n < 20; n++) await store([0, 0.5, 3]);
    })();
    const { received } = listen('from=now-1h');
    await writer;
    await until(async () => received.points.length >= (await stored()).length, 'all points');
    expect(textOf(received.points)).toEqual(textOf(await stored()));
    expect(received.restarts).toBe(0);
    expect(received.ids.length).toBeGreaterThan(2);
  });

  it('continues after an id: from its cache, and from the database', async () => {
    await store([20, 2, 1]);
    const { received, begun } = listen('from=now-1m');
    await begun();
    await store([0.5, 0.4]);
    await until(() => received.points.length === 5, 'the points so far');
    const [id = ''] = received.ids.slice(-1);
    await store([0.1]);
    await until(() => received.points.length === 6, 'one more');
    const again = listen('', { lastEventId: id });
    await until(() => again.received.points.length === 1, 'the missed point, from the cache');
    await nobodyListens();
    await store([0.05]);
    const anew = listen('from=now-1m', { lastEventId: id });
    await until(() => anew.received.points.length === 2, 'both missed points');
    expect([again.received.restarts, anew.received.restarts]).toEqual([0, 0]);
  });

  it('sends all kept frames to a listener that reconnects, even many', async () => {
    await store([20]);
    const { received, begun } = listen();
    await begun();
    for (let n = 1; n <= 10; n++) {
      await store(Array.from({ length: 120 }, (_, i) => i / 1000));
      await until(() => received.points.length === n * 120, 'what was stored');
    }
    const again = listen('', { lastEventId: received.ids[0] ?? '' });
    await until(() => again.received.points.length === 1200, 'all of them again');
    expect(again.received.restarts).toBe(0);
    await store([0]);
    await until(() => again.received.points.length === 1201, 'a new one');
  });

  if (engine.name === 'PostgreSQL')
    it('replays 100,000 points at most, and reports where the replay starts', async () => {
      await service.sql(`insert into audio_data (time, rms_db)
      select now() - n * interval '10 ms', -30 from generate_series(0, 100500) n`);
      const { received } = listen('from=now-1h');
      await until(() => received.points.length >= 99_900, '99,900 points');
      await store([0]);
      await until(() => received.points.at(-1)?.rms_db === -20, 'the tail');
      expect(received.points.length).toBeLessThanOrEqual(100_002);
      expect(received.restarts).toBe(1);
    });

  it('restarts if points were added or deleted before the id', async () => {
    await store([20, 5, 2]);
    const { received, begun } = listen('from=now-1m');
    await begun();
    const [id = ''] = received.ids.slice(-1);
    await nobodyListens();
    await store([3]);
    const later = listen('', { lastEventId: id });
    await until(() => later.received.ids.length > 0, 'the replay');
    expect(later.received.restarts).toBe(1);
    expect(later.received.points).toHaveLength(3); // within the 10 s before the id
    await nobodyListens();
    await service.sql(`delete from audio_data where rms_db is not null and time > now() - interval '4 s'`);
    const fewer = listen('', { lastEventId: id });
    await until(() => fewer.received.ids.length > 0, 'the replay, after the wait for missing points');
    expect(fewer.received.restarts).toBe(1);
    expect(fewer.received.points).toHaveLength(1);
  });

  it('reports when points stop arriving, and when they arrive again', async () => {
    await store([2.3, 2.2, 2.1, 2, 1.9, 1.8]);
    const { received } = listen();
    await until(() => received.stale.at(-1) === true, 'stale');
    await store([0]);
    await until(() => received.stale.at(-1) === false, 'no longer stale');
    expect(received.points).toHaveLength(1);
  });

  it('continues without a minute of silence if the clock is set back by a minute', async () => {
    const seconds = 60;
    let aheadMs = seconds * 1000;
    const other = await startBeside(service, { clock: () => Date.now() + aheadMs, livePollMs: POLL_MS });
    services.push(other);
    await store([1, 0.9, 0.8].map((age) => age - seconds)); // as a recorder on the same machine dates them
    const { received, begun } = listen('', { at: other });
    await begun();
    await store([-seconds]);
    await until(() => received.points.length === 1, 'a point');
    const [lastEventId = ''] = received.ids.slice(-1);
    aheadMs = 0;
    await store([0.2]); // perhaps before the service reads the clock
    await until(() => received.restarts === 1, 'a restart');
    await store([0]);
    const fresh = async () => textOf(await stored());
    await until(() => received.points.length >= 2, 'the points since then');
    expect(textOf(received.points)).toEqual(await fresh());
    expect(received.stale.at(-1)).toBe(false);
    await until(() => received.stale.at(-1) === true, 'stale');
    await nobodyListens(); // a listener that reconnects with an id from before must also restart
    const back = listen('', { at: other, lastEventId });
    await back.begun();
    expect([back.received.restarts, textOf(back.received.points)]).toEqual([1, await fresh()]);
  });

  it('refuses a bad `from` and a foreign id, over both transports', async () => {
    for (const path of [
      '/api/v1/audio/live?last_event_id=abc',
      '/api/v1/audio/live?from=abc',
      '/api/v1/audio/live?to=now',
    ])
      expect([path, (await fetch(`${service.url}${path}`)).status]).toEqual([path, 400]);
    const header = await fetch(`${service.url}/trpc/audio.live`, { headers: { 'last-event-id': 'abc' } });
    expect([header.status, await header.text()]).toEqual([
      200,
      expect.stringMatching(/event: serialized-error\ndata: .*"parameter":"lastEventId"/),
    ]);
    const refused = new Promise((resolve) =>
      service.client.audio.live.subscribe({ from: 'yesterday' }, { onError: resolve }),
    );
    expect(await refused).toMatchObject({ data: { errors: [{ parameter: 'from' }] } });
  });

  it('is never cached or compressed, disables buffering in nginx, and answers HEAD', async () => {
    const response = await fetch(`${service.url}/api/v1/audio/live`, {
      headers: { 'accept-encoding': 'gzip' },
    });
    await response.body?.cancel();
    const head = await fetch(`${service.url}/api/v1/audio/live`, { method: 'HEAD' });
    for (const { status, headers } of [response, head]) {
      expect([status, headers.get('content-type')]).toEqual([200, 'text/event-stream']);
      expect(headers.get('cache-control')).toBe('no-store, no-transform');
      expect(headers.get('x-accel-buffering')).toBe('no');
      expect(headers.get('transfer-encoding')).toBeNull(); // chunks take longer to write
      expect(headers.get('content-encoding')).toBeNull();
      expect(headers.get('x-request-id')).toBeTruthy();
    }
  });

  it('can be followed with the typed client, through restarts and a history longer than one replay', async () => {
    await service.sql(`insert into audio_data (time, rms_db)
      select now() - interval '2 h' + n * interval '1 s', -30 from generate_series(0, 7195) n`);
    const received = new Received();
    const following = follow(
      service.client,
      { from: 'now-3h' },
      { onPoints: (points) => received.points.push(...points), onRestart: (from) => received.restart(from) },
    );
    open.add({ close: () => following.unsubscribe() });
    await store([0.2]);
    await until(() => received.points.length >= 7197, 'two hours, of which one stream replays only one');
    await store([0.1, 0.1]);
    await until(() => received.points.length >= 7199, 'new points');
    expect(textOf(received.points)).toEqual(textOf(await stored()));
  });

  it('reports each change of the connection to the typed client', async () => {
    const other = await startBeside(service, { clock: Date.now, livePollMs: POLL_MS });
    const { port } = new URL(other.url);
    const random = vi.spyOn(Math, 'random').mockReturnValue(0); // waits are as short as possible
    onTestFinished(() => random.mockRestore());
    const connections: boolean[] = [];
    let tries = 0;
    const counting: typeof fetch = (...args) => {
      tries++;
      return fetch(...args);
    };
    const following = follow(
      createClient(other.url, { fetch: counting as never }),
      {},
      { onPoints() {}, onConnection: (isConnected) => connections.push(isConnected) },
    );
    open.add({ close: () => following.unsubscribe() });
    await until(() => connections.length === 1, 'a connection');
    await other.close();
    await until(() => connections.length === 2, 'its end');
    const before = tries;
    await until(() => tries > before, 'another try, in vain');
    expect(connections).toEqual([true, false]);
    const again = await startBeside(service, { clock: Date.now, livePollMs: POLL_MS }, Number(port));
    services.push(again);
    await until(() => connections.length === 3, 'another connection');
    expect(connections).toEqual([true, false, true]);
  });

  it('starts on REST with a comment, because every event holds points', async () => {
    const leaving = new AbortController();
    const { body } = await fetch(`${service.url}/api/v1/audio/live`, { signal: leaving.signal });
    const { value } = (await body?.getReader().read()) ?? {};
    leaving.abort();
    expect(`${Buffer.from(value ?? [])}`).toMatch(/^retry: \d+\n: connected\n/);
  });

  it('never reports its end through /trpc, so that clients reconnect when it stops', async () => {
    const other = await startBeside(service, { clock: Date.now, livePollMs: POLL_MS });
    const stream = await fetch(`${other.url}/trpc/audio.live`);
    const text = stream.text();
    other.app.shutdown.begin();
    expect(await text).toMatch(/^event: connected\n/);
    expect(await text).not.toContain('event: return');
    await other.close();
  });

  it('ends when the service stops', async () => {
    const other = await startBeside(service, { clock: Date.now, livePollMs: POLL_MS });
    const streams = await Promise.all(
      Array.from({ length: 5 }, () => fetch(`${other.url}/api/v1/audio/live`)),
    );
    const ends = Promise.all(streams.map((stream) => stream.text()));
    other.app.shutdown.begin();
    await ends;
    const late = await fetch(`${other.url}/api/v1/audio/live`); // a refused EventSource never reconnects
    expect([late.status, await late.text()]).toEqual([200, expect.stringMatching(/^retry: \d+\n\n$/)]);
    await other.close();
  });

  it('does not refuse a stream that is still opening when the service stops', async () => {
    const reading = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    let isStarted = false;
    const { db } = service;
    const query: typeof db.query = async (...question) => {
      if (isStarted) {
        reading.resolve();
        await released.promise;
      }
      return db.query(...question);
    };
    const other = await startBeside({ ...service, db: { ...db, query } }, { clock: Date.now });
    await other.get('/audio/latest'); // the first request reads the settings of the station
    isStarted = true;
    const opening = fetch(`${other.url}/api/v1/audio/live`);
    await reading.promise;
    other.app.shutdown.begin();
    released.resolve();
    const answer = await opening; // a refused EventSource never reconnects
    expect([answer.status, await answer.text()]).toEqual([200, expect.stringMatching(/^retry: \d+\n\n$/)]);
    await other.close();
  });

  it('refuses more streams than there are slots', async () => {
    const small = await startBeside(service, {
      clock: Date.now,
      livePollMs: POLL_MS,
      limits: { maxStreams: 2, openPerCaller: 1 }, // streams do not count as open calls
    });
    services.push(small);
    const first = await Promise.all([1, 2].map(() => fetch(`${small.url}/api/v1/audio/live`)));
    const third = await fetch(`${small.url}/api/v1/audio/live`);
    expect([...first, third].map(({ status }) => status)).toEqual([200, 200, 503]);
    expect(third.headers.get('retry-after')).toBeTruthy();
    await first[0]?.body?.cancel();
    await until(async () => {
      const next = await fetch(`${small.url}/api/v1/audio/live`);
      if (next.status === 200) await next.body?.cancel();
      return next.status === 200;
    }, 'a slot is free again');
    await first[1]?.body?.cancel();
  });
});
