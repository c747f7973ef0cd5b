// A stream's replay, before the tail: its points, its listeners and its end.
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { LiveEvent } from '../../../../src/operations/audio/live/contract.ts';
import type { Frame } from '../../../../src/operations/audio/live/frame.ts';
import { Live } from '../../../../src/operations/audio/live/live.ts';
import {
  connect,
  describeEmbeddedAndOnWire,
  describeServerOnWire,
  type TestDatabase,
} from '../../../engines.ts';

const POLL_MS = 20;
/** So long that no poll happens during a test. */
const SELDOM_MS = 60_000;

let database: TestDatabase;
let open: Live[];
let leaving: AbortController;

/** Opens streams of one service. Each test ends its own. */
function service(pollMs = POLL_MS) {
  const live = new Live({ store: database, clock: Date.now, pollMs });
  open.push(live);
  return async (start: { from?: string; lastEventId?: string } = {}, signal?: AbortSignal) => {
    const now = `${new Date().toISOString().slice(0, -1)}000Z`;
    const ends = signal ? AbortSignal.any([signal, leaving.signal]) : leaving.signal;
    return live.open({ from: now, now, ...start }, ends);
  };
}

const secondsAgo = (seconds: number) =>
  `${new Date(Date.now() - seconds * 1000).toISOString().slice(0, -1)}000Z`;

/** Stores points, one every `seconds`, the last a second ago. */
const store = (count: number, seconds: number) =>
  database.sql(`insert into audio_data (time, rms_db, frequency_hz)
    select now() - interval '1 s' - n * ${seconds} * interval '1 s', -(n % 50), 100 + n % 7000
    from generate_series(0, ${count - 1}) n`);

interface Received {
  readonly id: string;
  readonly event: LiveEvent;
}

/** All events of a stream's replay: until the newest point. */
async function replayOf(stream: AsyncIterable<Frame>): Promise<Received[]> {
  const [newest] = await database.sql(
    `select to_char(max(time) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as time from audio_data`,
  );
  const received: Received[] = [];
  for await (const { id, event } of stream) {
    received.push({ id, event: LiveEvent.parse(JSON.parse(JSON.stringify(event))) });
    if (id.startsWith(`${newest?.time}~`)) break;
  }
  return received;
}

const textOf = (received: readonly Received[]) =>
  pointsOf(received)
    .map((point) => JSON.stringify(point))
    .sort();
const pointsOf = (received: readonly Received[]) => received.flatMap(({ event }) => event.points);

function prepare(engine: Parameters<Parameters<typeof describeEmbeddedAndOnWire>[1]>[0]) {
  beforeAll(async () => {
    database = await engine.open();
  });
  afterAll(() => database.close());
  beforeEach(async () => {
    [open, leaving] = [[], new AbortController()];
    await database.sql('truncate audio_data');
    return async () => {
      leaving.abort();
      for (const live of open) live.stop();
    };
  });
}

describeEmbeddedAndOnWire('A replay', (engine) => {
  prepare(engine);

  it('sends ids after which another service continues without loss or repetition', async () => {
    await store(4500, 0.02);
    await database.sql(`insert into audio_data select * from audio_data order by time limit 700`);
    await database.sql(`update audio_data set time = (select min(time) from audio_data) + interval '30 s'
      where time >= (select min(time) from audio_data) + interval '30 s'
        and time < (select min(time) from audio_data) + interval '33 s'`);
    const whole = await replayOf(await service()({ from: secondsAgo(3000) }));
    expect(pointsOf(whole)).toHaveLength(5200);
    expect(whole.length).toBeGreaterThan(4);
    for (const [index, { id }] of whole.entries()) {
      const rest = await replayOf(await service()({ lastEventId: id }));
      expect(rest.map(({ event }) => event.restart_from)).toEqual(rest.map(() => null));
      expect(textOf(rest)).toEqual(textOf(whole.slice(index + 1))); // points of equal time come in any order
      expect(rest.at(-1)?.id).toBe(whole.at(-1)?.id);
    }
  });

  it('reads nothing once the last stream has ended', async () => {
    const counted = () => {
      let [queries, running] = [0, 0];
      const query: typeof database.db.query = (...args) => {
        queries++;
        running++;
        return database.db.query(...args).finally(() => running--);
      };
      const store = { ...database, db: { ...database.db, query } };
      const live = new Live({ store, clock: Date.now, pollMs: POLL_MS });
      open.push(live);
      return { live, queries: () => queries, running: () => running };
    };
    const now = secondsAgo(0);
    const [quiet, clock] = [counted(), counted()];
    const ends = [new AbortController(), new AbortController()];
    for (const { signal } of ends) await quiet.live.open({ from: now, now }, signal);
    await clock.live.open({ from: now, now }, leaving.signal);
    const polls = async (of: typeof clock, more: number) => {
      const before = of.queries();
      await expect.poll(of.queries, { interval: POLL_MS }).toBeGreaterThan(before + more);
    };
    await polls(quiet, 3);
    ends[0]?.abort();
    await polls(quiet, 3);
    ends[1]?.abort();
    await expect.poll(quiet.running).toBe(0); // the last poll may be running
    await polls(clock, 1);
    const before = quiet.queries();
    await polls(clock, 6);
    expect(quiet.queries()).toBe(before);
  });

  it('does not hold a caller that has left', async () => {
    await store(30, 1);
    const go = service(SELDOM_MS);
    await go();
    const gone = new AbortController();
    gone.abort(new Error('left before'));
    await expect(go({ from: secondsAgo(60) }, gone.signal)).rejects.toThrow('left before');
    const caller = new AbortController();
    const lastEventId = `${secondsAgo(5)}~900~0000000000000000`; // points that never come, so the stream waits
    const opened = go({ lastEventId }, caller.signal);
    await database.sql('select');
    caller.abort(new Error('left'));
    await expect(opened).rejects.toThrow('left');
    expect(open[0]?.streams).toBe(1);
  });

  it('restarts at once after an id whose points do not exist and will not come', {
    timeout: SELDOM_MS / 2,
  }, async () => {
    await store(30, 1);
    const go = service(SELDOM_MS);
    await go();
    const stream = await go({ lastEventId: `${secondsAgo(20)}~900~0000000000000000` });
    const [first] = await replayOf(stream);
    expect(first?.event.restart_from).not.toBeNull();
    expect(first?.event.points).toHaveLength(29);
  });
});

describeServerOnWire('A replay in progress', (engine) => {
  prepare(engine);

  /** Blocks all readers of points. @returns a function that lets them continue */
  async function lock(): Promise<() => Promise<void>> {
    const locker = await connect(database.url ?? '');
    await locker.query('begin; lock table audio_data in access exclusive mode');
    return () => locker.end();
  }

  /** Counts the statements that wait for a lock, but not the spacing query, which may finish before the lock exists. */
  const waiting = async () => {
    const [found] = await database.sql(`select count(*)::int as count from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and query not like '%percentile_cont%'`);
    return found?.count;
  };

  it('continues while any listener waits, and is cancelled when the last leaves', async () => {
    await store(3000, 0.1);
    const go = service();
    await go();
    const release = await lock();
    await expect.poll(waiting, { message: 'the poll waits' }).toBe(1);
    const callers = Array.from({ length: 4 }, () => new AbortController());
    const starts = [secondsAgo(3000), secondsAgo(3000), secondsAgo(3000), secondsAgo(2000)];
    starts[1] = starts[2] = starts[0] ?? '';
    const opened = callers.map((caller, n) => go({ from: starts[n] ?? '' }, caller.signal));
    const outcomes = Promise.allSettled(opened);
    await expect.poll(waiting, { message: 'two replays' }).toBe(3);
    callers[0]?.abort(new Error('left'));
    callers[3]?.abort(new Error('left too'));
    await expect(opened[0]).rejects.toThrow('left');
    await expect(opened[3]).rejects.toThrow('left too');
    await expect.poll(waiting, { message: 'one replay' }).toBe(2);
    callers[1]?.abort(new Error('left'));
    await expect(opened[1]).rejects.toThrow('left');
    expect(await waiting()).toBe(2);
    await release();
    const [, , stream] = await outcomes;
    expect(stream?.status).toBe('fulfilled');
    if (stream?.status === 'fulfilled') expect(pointsOf(await replayOf(stream.value))).toHaveLength(3000);
  });

  it('does not begin for a listener that leaves before the tail begins', async () => {
    await store(10, 1);
    const go = service();
    const release = await lock();
    const caller = new AbortController();
    const opened = go({ from: secondsAgo(60) }, caller.signal);
    const outcome = expect(opened).rejects.toThrow('left');
    await expect.poll(waiting, { message: 'the tail begins' }).toBe(1);
    caller.abort(new Error('left'));
    await outcome;
    await release();
    expect(pointsOf(await replayOf(await go({ from: secondsAgo(60) })))).toHaveLength(10);
  });
});
