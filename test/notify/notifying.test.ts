// `watch --notify` with real receivers and a service with several stations.

import { beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { createClient } from '../../src/client/index.ts';
import { instantOf } from '../../src/contract/instant.ts';
import type { Message } from '../../src/contract/messages.ts';
import { openOutbox } from '../../src/notify/outbox.ts';
import type { Facts } from '../../src/notify/sentences.ts';
import { createStationWatch } from '../../src/notify/station-watch.ts';
import { start, startHook } from '../cli/watch/watching.ts';
import { describeOnWire, openForAll } from '../engines.ts';
import { limitOf } from '../limits.ts';
import { fetchDocument, judge } from '../openapi/document.ts';
import { temporaryFolder } from '../process.ts';
import { startBeside, startTestService } from '../service.ts';
import { makeStation } from '../stations.ts';

type Hook = Awaited<ReturnType<typeof startHook>>;
const messagesOf = ({ taken }: Hook): Message[] =>
  taken.filter(({ status }) => status === 200).map(({ body }) => JSON.parse(body));
const kindsOf = (hook: Hook, station = 'default') =>
  messagesOf(hook).flatMap(({ kind, station: of }) => (of === station ? [kind] : []));

const DAY = 86_400_000;

/** Replaces the clock of this process until the test ends. */
function setClock(clock: (real: number) => number): void {
  const real = Date.now;
  const spy = vi.spyOn(Date, 'now').mockImplementation(() => clock(real()));
  onTestFinished(() => spy.mockRestore());
}

describeOnWire('watch --notify', (engine) => {
  const database = openForAll(() => engine.open());
  const service = openForAll(() => startBeside(database, { clock: () => Date.now(), livePollMs: 50 }));
  const has = { garden: false };
  beforeEach(async () => {
    await service.sql('truncate audio_data');
    await service.sql('truncate audio_data_periods');
    if (!has.garden) await makeStation(database, 'garden', { time_zone: 'UTC', calibration_offset_db: 90 });
    has.garden = true;
    await service.sql('truncate garden.audio_data');
  });

  let shift = 0; // of the clocks of the service, the notifier and the recorder, in ms
  /** Stores `count` points at a level, 20 ms apart. The last one is `age` seconds old. */
  const store = (level: number, count = 5, age = -shift / 1000, schema = 'public') =>
    service.sql(`insert into ${schema}.audio_data select time, ${level}, 440, false from generate_series(
      now() - interval '${age * 1000 + (count - 1) * 20} ms', now() - interval '${age * 1000} ms',
      interval '20 ms') as time`);

  /** A background of -45 dB in the current half hour and the previous one. */
  const storeBackground = () =>
    service.sql(`insert into audio_data select time, -45, 440, false from generate_series(
      now() - interval '1 h', now() - interval '3 s', interval '1 s') as time`);

  async function until(isEnough: () => boolean, next: () => Promise<unknown> = () => store(-40)) {
    const stored = () => next().then(isEnough);
    await expect.poll(stored, { interval: 20 }).toBe(true);
  }

  const watchWith = (...args: string[]) =>
    start([
      ...[service.url, '--every', '0s', '--from', 'now-1m', ...args],
      ...(args.includes('--hold') ? [] : ['--hold', '300ms']),
      ...(args.includes('--min-duration') ? [] : ['--min-duration', '0s']),
    ]);

  it('reports the start of an event while it goes on, then its end, on the scale of each station', async () => {
    const hook = await startHook([]);
    await store(-40, 300, 2);
    await store(-40, 300, 2, 'garden');
    const { run, end, said } = watchWith('--notify', hook.url, '--threshold', '80', '--hold', '2s');
    // garden is calibrated: -5 is 85 dB there; the default station is not, so none of its levels exceeds 80
    await until(
      () => kindsOf(hook, 'garden').includes('start'),
      async () => {
        await store(-5, 5, 0, 'garden');
        await store(-5);
      },
    );
    expect(kindsOf(hook, 'garden')).toEqual(['start']);
    await until(
      () => kindsOf(hook, 'garden').includes('end'),
      async () => {
        await store(-40, 5, 0, 'garden');
        await store(-40);
      },
    );
    end();
    await run;
    const [started, ended] = messagesOf(hook);
    expect([started, ended]).toMatchObject([
      { kind: 'start', station: 'garden', peak_db: 85, scale: { levels: 'absolute' }, left_out: 0 },
      { kind: 'end', station: 'garden', peak_db: 85, scale: { levels: 'absolute' }, left_out: 0 },
    ]);
    expect(started && 'start' in started && started.id).toContain('garden~start~');
    expect(kindsOf(hook)).toEqual([]);
    expect(said).toContainEqual(
      expect.stringMatching(/^default: noise events cannot be reported yet: .*threshold must be/),
    );
    const document = await fetchDocument(service.url);
    const schema = { $ref: '#/components/schemas/Message' };
    for (const message of messagesOf(hook)) expect(judge(document, schema, message)).toEqual([]);
  });

  it('measures against the background, and skips events shorter than --min-duration', async () => {
    const hook = await startHook([]);
    await storeBackground();
    await service.sql(`insert into audio_data select now() - interval '20 s' + n * interval '20 ms', -20, 440, false
      from generate_series(1, 5) n`);
    const watching = watchWith('--notify', hook.url, '--above-background', '10', '--min-duration', '2s');
    let n = 0;
    await until(
      () => kindsOf(hook).includes('end'),
      () => (n++ === 0 ? store(-30, 125) : store(-45)),
    );
    watching.end();
    await watching.run;
    expect(messagesOf(hook)).toMatchObject([
      { kind: 'start', peak_db: -30, threshold: -35, background_db: -45 },
      { kind: 'end', peak_db: -30, threshold: -35, background_db: -45 },
    ]);
  });

  it('continues if a reference is set while it watches', async () => {
    const hook = await startHook([]);
    await storeBackground();
    const { run, end, said } = watchWith('--notify', hook.url, '--above-background', '10', '--on', 'end');
    const makeEvent = (count: number) => {
      let n = 0;
      return until(
        () => kindsOf(hook).length >= count,
        () => (n++ === 30 ? store(-20, 25) : store(-45)), // 30 waits: no level of the event has the old reference
      );
    };
    await makeEvent(1);
    await service.sql(
      `insert into audio_data_periods (since, weighting, reference_db) values (now(), 'A', 85)`,
    );
    await makeEvent(2);
    end();
    await run;
    expect(messagesOf(hook)).toMatchObject([
      { peak_db: -20, scale: { levels: 'stored', unit: 'dBFS' } },
      { peak_db: 65, scale: { levels: 'absolute', unit: 'dB(A)' } },
    ]);
    expect(said.filter((line) => /levels must be/.test(line))).toEqual([]);
  });

  it('reports that a recorder is silent, and that it is back', async () => {
    const hook = await startHook([]);
    await store(-40, 5, 90);
    const watching = watchWith('--notify', hook.url, '--silent-after', '1m');
    await until(
      () => kindsOf(hook).length > 0,
      async () => {},
    );
    await until(() => kindsOf(hook).length > 1);
    watching.end();
    await watching.run;
    const [silent, back] = messagesOf(hook);
    expect([silent?.kind, back?.kind]).toEqual(['silent', 'back']);
    expect(silent && 'since' in silent && back && 'since' in back && silent.since === back.since).toBe(true);
  });

  it('sends at most one message per kind within --every, and counts those left out in the next', async () => {
    const hook = await startHook([]);
    await store(-40, 300, 2);
    const watching = start([
      ...[service.url, '--hold', '100ms', '--min-duration', '0s', '--threshold', '-10', '--from', 'now-1m'],
      ...['--notify', hook.url, '--on', 'end', '--every', '2s'],
    ]);
    let n = 0;
    await until(
      () => messagesOf(hook).some(({ left_out }) => left_out > 0),
      () => store(n++ % 20 < 3 ? -5 : -40),
    );
    watching.end();
    await watching.run;
    const all = await service.client.events.list.query({
      threshold: -10,
      hold_seconds: 0.1,
      min_duration_seconds: 0,
      from: 'now-1m',
      limit: 1000,
    });
    const starts = all.events.map(({ start }) => start).reverse();
    let index = -1;
    for (const message of messagesOf(hook)) {
      if (message.kind !== 'end') throw new Error(message.kind);
      const next = starts.indexOf(message.start);
      expect(message.left_out).toBe(next - index - 1);
      index = next;
    }
  });

  it('delays no receiver for one that is away, which gets all messages in order when it is back', async () => {
    let isAway = true;
    const [away, well] = [await startHook(() => (isAway ? 500 : 200)), await startHook([])];
    await store(-40, 300, 2);
    await store(-5, 5, 6.5);
    const args = ['--threshold', '-10', '--on', 'end', '--notify', away.url, '--notify', well.url];
    const { run, end, said } = watchWith(...args);
    let n = 0;
    await until(
      () => kindsOf(well).length >= 4 && kindsOf(away).length >= 4,
      () => {
        isAway = kindsOf(well).length < 3;
        return store(n++ % 50 < 3 ? -5 : -40);
      },
    );
    end();
    await run;
    const idsOf = (hook: Hook) =>
      messagesOf(hook)
        .map(({ id }) => id)
        .slice(0, 4);
    expect(idsOf(away)).toEqual(idsOf(well));
    expect(new Set(idsOf(away)).size).toBe(4);
    expect(said.filter((line) => /waits|accepts messages/.test(line))).toEqual([
      expect.stringContaining('waits: it answered 500'),
      expect.stringContaining('accepts messages again'),
    ]);
  });

  it.each([
    ['years', "'2034-05-01T00:00:00Z'"],
    ['a quarter of an hour', "now() + interval '15 min'"],
  ])(
    'reports what is now beside a loud point dated %s ahead, also once that is deleted',
    async (_, ahead) => {
      const hook = await startHook([]);
      await store(-40, 300, 2);
      await service.sql(`insert into audio_data values (${ahead}, -5, 440, false)`);
      const { run, end } = watchWith('--notify', hook.url, '--threshold=-10');
      const report = async () => {
        const before = kindsOf(hook).length;
        const since = () => kindsOf(hook).slice(before);
        const loud = () => store(-5);
        await until(() => since().includes('start'), loud);
        await until(() => since().includes('end'));
      };
      await report();
      await service.sql(`delete from audio_data where time > now() + interval '1 min'`);
      await report();
      end();
      await run;
      for (const message of messagesOf(hook))
        if ('start' in message) expect(message.start < '2034').toBe(true);
    },
  );

  it.each([
    ['forward by a day, and back', [DAY, 0]],
    ['back by a day, and forward', [-DAY, 0]],
  ])('continues when the clock is set %s', async (_, shifts) => {
    setClock((real) => real + shift);
    onTestFinished(() => {
      shift = 0;
    });
    const hook = await startHook([]);
    await store(-40, 300, 2);
    const { run, end } = watchWith('--notify', hook.url, '--threshold=-10');
    for (shift of [0, ...shifts]) {
      const before = messagesOf(hook).length;
      const since = (kind: string) =>
        messagesOf(hook)
          .slice(before)
          .filter((each) => each.kind === kind);
      await until(
        () => since('start').length > 0,
        () => store(-5),
      );
      await until(() => since('end').length > 0);
      const [message] = since('end');
      const begun = message && 'start' in message ? Date.parse(message.start) : Number.NaN;
      expect(Math.abs(begun - Date.now())).toBeLessThan(60_000);
    }
    end();
    await run;
  });

  it('begins now if the place that it kept lies ahead', async () => {
    const hook = await startHook([]);
    const folder = temporaryFolder();
    const outbox = openOutbox(folder, [hook.url]);
    const ahead = '2034-05-01T00:00:00.000000Z';
    outbox.keep('default', { from: ahead, started: ahead, silentSince: null, night: null, sent: {} }, []);
    outbox.close();
    await store(-40, 300, 2);
    const args = ['--every', '0s', '--hold', '300ms', '--min-duration', '0s', '--threshold=-10'];
    const { run, end } = start([service.url, '--notify', hook.url, ...args], { folder });
    let round = 0;
    await until(
      () => kindsOf(hook).includes('end'),
      () => store(round++ % 40 < 20 ? -5 : -40),
    );
    end();
    await run;
  });

  it('sends no second start of an event that was open before an update, and its end once', async () => {
    await storeBackground();
    const start = Date.now() - 60_000;
    const at = (seconds: number) => new Date(start + seconds * 1000).toISOString();
    const outbox = openOutbox(temporaryFolder(), ['one']);
    onTestFinished(() => outbox.close());
    // kept by a version without a minimum duration, after the first second of the event
    const from = at(0).replace('Z', '000Z');
    outbox.keep('default', { from, started: from, silentSince: null, night: null, sent: {} }, []);
    const kinds: string[] = [];
    const watch = createStationWatch({
      name: 'default',
      client: createClient(service.url),
      options: {
        ...{ on: ['start', 'end'], aboveBackground: 10, minDuration: 5000, hold: 10_000, every: 0 },
        ...{ silentAfter: 300_000, threshold: undefined, levels: undefined },
      },
      from,
      signal: new AbortController().signal,
      outbox: {
        ...outbox,
        keep(station, progress, messages) {
          kinds.push(...messages.map(({ kind }) => kind));
          outbox.keep(station, progress, messages);
        },
      },
      wordsOf: (facts: Facts) => ({ ...facts, title: '', text: '', link: 'http://x/' }),
      queue: (search) => search(),
      say: (line) => expect.unreachable(line),
      note: () => {},
    });
    await service.sql('delete from audio_data where time >= $1', [at(0)]);
    const loud = [
      ...[-20, -20, -45, -45, -30, -45, -45, -45], // the event dips for a while, and goes on
      ...[-20, -20, -45, -45, -45, -45, -45, -45, -45, -45, -45, -45, -45, -45],
    ];
    const seen: boolean[] = [];
    for (const [second, level] of loud.entries()) {
      await service.sql('insert into audio_data (time, rms_db) values ($1, $2)', [at(second), level]);
      const [row] = (await service.client.stations.list.query({ levels: 'stored' })).stations;
      if (!row) throw new Error('There is no station');
      await watch.check(
        { ...row, time: at(second).replace('Z', '000Z'), max_10s_db: level, frequency_hz: null },
        0,
      );
      seen.push(watch.hasEvent);
    }
    expect(kinds).toEqual(['end']);
    expect(seen.indexOf(false)).toBe(21); // the hold after its end
  });

  it('reports a night over its limit exactly once, with its causes', async () => {
    const at = (time: string) => Date.parse(`2026-03-02T${time}Z`);
    let now = at('05:59:00');
    const night = await startTestService(engine, {
      clock: () => now,
      site: {
        timeZone: 'UTC',
        calibrationOffsetDb: 95,
        limits: [limitOf('22:00', '06:00', 45)],
      },
    });
    onTestFinished(() => night.close());
    setClock(() => now);
    await night.sql(`insert into audio_data select time, case when time >= '2026-03-02T03:00Z' and
      time < '2026-03-02T03:30Z' then -30 else -49 end, 315, false
      from generate_series('2026-03-01T22:00:00Z'::timestamptz, '2026-03-02T06:00:00Z', interval '1 s') as time`);
    const outbox = openOutbox(temporaryFolder(), ['one']);
    onTestFinished(() => outbox.close());
    let failures = 0;
    const said: string[] = [];
    const watch = createStationWatch({
      name: 'default',
      client: createClient(night.url),
      options: {
        ...{ on: ['night'], threshold: -10, minDuration: 0, every: 600_000, silentAfter: 300_000 },
        ...{ aboveBackground: undefined, hold: 'auto' as const, levels: undefined },
      },
      from: '2026-03-02T05:00:00.000000Z',
      signal: new AbortController().signal,
      outbox: {
        ...outbox,
        keep(station, progress, messages) {
          if (messages.length > 0 && failures-- > 0) throw new Error('The disk is full');
          outbox.keep(station, progress, messages);
        },
      },
      wordsOf: (facts: Facts) => ({ ...facts, title: '', text: '', link: 'http://x/' }),
      queue: (search) => search(),
      say: (line) => said.push(line),
      note: () => {},
    });
    const check = async () => {
      const { stations } = await night.client.stations.list.query({ levels: 'absolute' });
      for (const station of stations) await watch.checkNight(station);
      return outbox.nextFor('one')?.message;
    };
    expect(await check()).toBeUndefined(); // the previous night ended long ago
    failures = 1;
    now = at('06:10:00');
    let message: Message | undefined;
    await until(
      () => message !== undefined,
      async () => {
        message = await check();
      },
    );
    expect(message).toMatchObject({
      id: 'default~night~2026-03-02T06:00:00.000000Z',
      kind: 'night',
      state: 'over',
      limit_db: 45,
      leq_db: expect.closeTo(53.3, 0),
      causes: [
        {
          kind: 'tone',
          from: '2026-03-02T03:00:00.000000Z',
          to: '2026-03-02T03:30:00.000000Z',
          band_main_hz: 315,
          leq_db: 65,
        },
      ],
    });
    expect(said).toEqual([expect.stringContaining('cannot be reported yet: The disk is full')]);
    outbox.done('one', 1);
    expect(await check()).toBeUndefined();
    // set forward by a day, back, and in time forward again
    for (const [days, nights] of [
      [1, ['2026-03-03T06:00:00.000000Z']],
      [0, []],
      [1, ['2026-03-03T06:00:00.000000Z']],
    ] as const) {
      now = at('06:20:00') + days * DAY;
      const listed = async () => {
        const { stations } = await night.client.stations.list.query({ levels: 'absolute' });
        for (const station of stations) await watch.checkNight(station);
        return stations[0]?.night?.to;
      };
      await expect.poll(listed).toBe(instantOf(at('06:00:00') + days * DAY));
      const reported: string[] = [];
      for (let next = outbox.nextFor('one'); next; next = outbox.nextFor('one')) {
        if (next.message.kind === 'night') reported.push(next.message.to);
        outbox.done('one', next.seq);
      }
      expect(reported).toEqual(nights);
    }
  });
});
