// All stations together: the stations that a key opens, and everything that stations share.

import { beforeAll, describe, expect, it } from 'vitest';
import { createKey, type KeyOwner, readKeys } from '../../../src/http/edge/api-keys.ts';
import { StationsOutput } from '../../../src/operations/stations/contract.ts';
import { AgainstLimitsOutput } from '../../../src/operations/stats/limits/contract.ts';
import { createMetrics } from '../../../src/telemetry/metrics.ts';
import { describeEachLayout, openForAll } from '../../engines.ts';
import { limitOf } from '../../limits.ts';
import { DBFS_SCALE } from '../../scales.ts';
import { startBeside, type TestService } from '../../service.ts';
import { makeStation } from '../../stations.ts';

/** The last night before NOW in Vienna, from 22:00 to 06:00. */
const NIGHT = ['2026-02-28T21:00:00Z', '2026-03-01T05:00:00Z'] as const;
const VIENNA = {
  time_zone: 'Europe/Vienna',
  limits: '06-22=55,22-06=45',
  calibration_offset_db: 95,
  weighting: 'A' as const,
};

/** @returns SQL that inserts a point every ten seconds in `[from, to)` */
const points = (station: string, from: string, to: string, level: number) =>
  `insert into ${station}.audio_data (time, rms_db) select time, ${level}
   from generate_series('${from}'::timestamptz, '${to}'::timestamptz - interval '1 s', interval '10 s') as time`;

/** Reads events of a REST stream until one fulfils a condition. */
async function eventsUntil(url: string, isLast: (event: string) => boolean, headers = {}) {
  const leaving = new AbortController();
  const { body } = await fetch(url, { headers, signal: leaving.signal });
  let text = '';
  const decoder = new TextDecoder();
  for await (const piece of body ?? []) {
    text += decoder.decode(piece);
    if (isLast(text)) break;
  }
  leaving.abort();
  return Array.from(text.matchAll(/^data: (.*)$/gm), ([, data = '']) => JSON.parse(data));
}

describeEachLayout('Several stations', (engine) => {
  const database = openForAll(() => engine.open());
  let service: TestService;
  beforeAll(async () => {
    service = await startBeside(database);
    for (const name of ['garden', 'street', 'attic']) await makeStation(database, name, VIENNA);
    await service.sql(points('garden', ...NIGHT, -40));
    await service.sql(points('garden', '2026-03-01T11:30:00Z', '2026-03-01T12:00:01Z', -30));
    await service.sql(points('street', '2026-02-28T21:00:00Z', '2026-03-01T01:00:00Z', -20));
    return () => service.close();
  });
  const list = async () => StationsOutput.parse((await service.get('/stations')).body).stations;

  it('are listed with their measurements now, in the last hour, the last day and the last night', async () => {
    const [standard, attic, garden, street] = await list();
    expect([standard?.name, attic?.name]).toEqual(['default', 'attic']);
    expect(standard).toMatchObject({
      path: '/',
      state: 'empty',
      time_zone: 'UTC',
      limits: [],
      limit_db: null,
      night: null,
    });
    const night = { from: '2026-02-28T21:00:00.000000Z', to: '2026-03-01T05:00:00.000000Z', limit_db: 45 };
    expect(attic?.night).toEqual({
      ...night,
      weighting: 'A',
      penalty_db: 0,
      leq_db: null,
      assessed_db: null,
      over_range: 0,
      first_over_range: null,
      measured_percent: 0,
      state: 'undecided',
      reason: 'too_little_measured',
    });
    expect(garden).toMatchObject({
      path: '/stations/garden/',
      state: 'recording',
      newest: '2026-03-01T12:00:00.000000Z',
      newest_age_seconds: 0.5,
      level_db: -30,
      scale: { unit: 'dBFS', reference_db: 0 },
      limits: [limitOf('06:00', '22:00', 55), limitOf('22:00', '06:00', 45)],
      limit_db: 55,
      night: { ...night, state: 'over' },
    });
    const figure = (value: number | null | undefined) => value?.toFixed(3);
    expect([garden?.night?.leq_db, garden?.leq_1h_db].map(figure)).toEqual(['-40.000', '-30.000']);
    expect(garden?.night?.measured_percent).toBe(100);
    const hours = [
      ...Array(8).fill(null),
      ...Array(8).fill('-40.000'),
      ...Array(6).fill(null),
      '-30.000',
      '-30.000',
    ];
    expect(garden?.hours?.map((each) => figure(each) ?? null)).toEqual(hours);
    expect(street).toMatchObject({ state: 'offline', leq_1h_db: null, night: { state: 'over' } }); // for certain, by half of the night
    expect(street?.night?.measured_percent).toBeCloseTo(50, 1);
    expect((await service.client.stations.list.query()).stations).toEqual(await list());
    const below = await fetch(`${service.url}/stations/garden/api/v1/stations`);
    expect(StationsOutput.parse(await below.json()).stations).toEqual(await list());
  });

  it('name the last point dated ahead, which says nothing about their level and state now', async () => {
    await service.sql(`insert into garden.audio_data (time, rms_db) values
      ('2026-03-01T12:05:00Z', -1), ('2034-05-01Z', -2);
      insert into attic.audio_data (time, rms_db) values ('2026-03-01T12:05:00Z', -1)`);
    const ahead = (name: string, time: string) =>
      expect.objectContaining({ name, ahead_until: time, state: name === 'attic' ? 'empty' : 'recording' });
    const expected = [
      ahead('attic', '2026-03-01T12:05:00.000000Z'),
      ahead('garden', '2034-05-01T00:00:00.000000Z'),
    ];
    const other = await startBeside(database);
    const listed = StationsOutput.parse((await other.get('/stations')).body).stations;
    expect(listed).toEqual(expect.arrayContaining(expected));
    expect(listed.find(({ name }) => name === 'garden')).toMatchObject({
      newest: '2026-03-01T12:00:00.000000Z',
      level_db: -30,
    });
    const [now] = await eventsUntil(
      `${other.url}/api/v1/stations/live`,
      (text) => /^data: .*$/m.test(text) && text.endsWith('\n\n'),
    );
    expect(now.stations).toEqual(expect.arrayContaining(expected));
    expect(now.stations.find(({ name }: { name: string }) => name === 'street').ahead_until).toBeNull();
    await other.close();
    await service.sql(
      `delete from garden.audio_data where time > '2026-03-01T12:01Z'; truncate attic.audio_data`,
    );
  });

  it('refuse to write a page of points as CSV, and name the export of the station', async () => {
    const path = `/stations/garden/api/v1/audio/range?from=${NIGHT[0]}&to=${NIGHT[1]}`;
    const refused = await fetch(`${service.url}${path}`, { headers: { accept: 'text/csv' } });
    expect([refused.status, await refused.json()]).toEqual([
      406,
      expect.objectContaining({
        detail: expect.stringMatching(/ \/stations\/garden\/api\/v1\/export\/csv$/),
      }),
    ]);
  });

  it('leave out exclusions, so their night equals that of stats.limits', async () => {
    await service.sql(`insert into garden.audio_data_exclusions (since, until, reason) values
      ('2026-03-01T00:00:00Z', '2026-03-01T02:00:00Z', 'rain'), ('2026-03-01T11:45:00Z', '2026-03-01T11:50:00Z', 'mower')`);
    const garden = async () => (await list()).find(({ name }) => name === 'garden');
    const measured = async () => (await garden())?.night?.measured_percent;
    await expect.poll(measured).toBeCloseTo(75, 9);
    const path = `/stations/garden/api/v1/stats/limits?from=${NIGHT[0]}&to=${NIGHT[1]}`;
    const { parts } = AgainstLimitsOutput.parse(await (await fetch(`${service.url}${path}`)).json());
    const [{ measured_percent, state, leq_db } = expect.unreachable()] = parts;
    expect((await garden())?.night).toMatchObject({ measured_percent, state, leq_db });
    await service.sql('delete from garden.audio_data_exclusions');
    await expect.poll(measured).toBe(100);
  });

  it('are listed even if one of them fails', async () => {
    const other = await startBeside(service);
    await service.sql('alter table street.audio_data rename to away');
    const { status, body } = await other.get('/stations');
    await service.sql('alter table street.away rename to audio_data');
    const nothing = { place_name: null, newest: null, level_db: null, scale: null, limits: null };
    const nulls = { ...nothing, night: null, hours: null };
    expect(status).toBe(200);
    expect(body.stations[2].state).toBe('recording');
    expect(body.stations[3]).toMatchObject({
      name: 'street',
      path: '/stations/street/',
      state: 'unavailable',
      ...nulls,
    });
    await other.close();
  });

  it('stream changes of their levels, on both transports', async () => {
    const messages = new Promise<object[]>((resolve) => {
      const heard: object[] = [];
      const following = service.client.stations.live.subscribe(undefined, {
        onData: ({ data }) => {
          heard.push(...data.stations.filter(({ name }) => name === 'attic'));
          if (heard.length < 2) return;
          following.unsubscribe();
          resolve(heard);
        },
      });
    });
    let isWritten = false;
    const events = await eventsUntil(`${service.url}/api/v1/stations/live`, (text) => {
      if (!isWritten && text.includes('attic'))
        void service.sql(
          `insert into attic.audio_data (time, rms_db) values ('2026-03-01T12:00:00Z', -12.5)`,
        );
      isWritten ||= text.includes('attic');
      return text.includes('-12.5');
    });
    const now = {
      name: 'attic',
      time: '2026-03-01T12:00:00.000000Z',
      ahead_until: null,
      level_db: -12.5,
      max_10s_db: -12.5,
      frequency_hz: null,
      scale: DBFS_SCALE,
      state: 'recording',
    };
    expect(events[0].stations).toHaveLength(4);
    expect(events.at(-1)).toEqual({ stations: [now] });
    expect(await messages).toEqual([
      {
        name: 'attic',
        time: null,
        ahead_until: null,
        level_db: null,
        max_10s_db: null,
        frequency_hz: null,
        scale: null,
        state: 'empty',
      },
      now,
    ]);
    const rpc = await eventsUntil(`${service.url}/trpc/stations.live`, (text) => text.includes('garden'));
    expect(JSON.stringify(rpc)).toContain('"level_db":-12.5');
  });

  it('end a request in flight when its key no longer opens the station', async () => {
    const listeners: (() => void)[] = [];
    let stations: readonly string[] = ['garden', 'street'];
    const keys = {
      ownerOf: (): KeyOwner => ({ name: 'tenant', stations }),
      onChange: (listener: () => void) => void listeners.push(listener),
    };
    const other = await startBeside(service, { keys });
    const headers = { authorization: 'Bearer am_key' };
    const open = async (path: string) => {
      const leaving = new AbortController();
      const { body } = await fetch(`${other.url}${path}`, { headers, signal: leaving.signal });
      const reader = body?.getReader();
      await reader?.read();
      const ended = (async () => {
        while (!(await reader?.read())?.done);
        return path;
      })();
      return { ended, leave: () => leaving.abort() };
    };
    const paths = [
      '/stations/street/api/v1/audio/live',
      '/api/v1/stations/live',
      '/stations/garden/api/v1/audio/live',
    ];
    const [street, overview, garden] = await Promise.all(paths.map(open));
    stations = ['garden'];
    for (const listener of listeners) listener();
    expect(await Promise.all([street?.ended, overview?.ended])).toEqual(paths.slice(0, 2));
    const isGardenOver = await Promise.race([garden?.ended, Promise.resolve('open')]);
    expect(isGardenOver).toBe('open');
    garden?.ended.catch(() => {});
    garden?.leave();
    await other.close();
  });

  it('share the rate limit, and are counted separately in the metrics', async () => {
    const metrics = createMetrics('test');
    const other = await startBeside(service, { watchers: [metrics.watch], limits: { ratePerMinute: 3 } });
    const statuses: number[] = [];
    for (const name of ['garden', 'street', 'nowhere', 'garden'])
      statuses.push((await fetch(`${other.url}/stations/${name}/api/v1/audio/latest`)).status);
    expect(statuses).toEqual([200, 200, 404, 429]);
    const text = await metrics.scrape();
    const counted = /request_duration_seconds_count\{.*?status="(\d+)".*?station="(\w+)"\} (\d+)/g;
    const found = Array.from(text.matchAll(counted), ([, ...labels]) => labels.join(' '));
    expect(found.toSorted()).toEqual(['200 garden 1', '200 street 1', '404 unknown 1', '429 unknown 1']);
    expect(text).toContain('audio_metrics_level_db{station="garden",unit="dB"} 65\n');
    expect(text).toContain('audio_metrics_newest_point_age_seconds{station="garden"} 0.5\n');
    expect(text).not.toContain('nowhere');
    await other.close();
  });
});

describe('The line of a key', () => {
  const { key, line } = createKey('tenant', 'garden,default');

  it('names the stations that it opens', () => {
    expect(readKeys(line).ownerOf(key)).toEqual({ name: 'tenant', stations: ['garden', 'default'] });
    expect(() => createKey('tenant', 'public')).toThrow('stations');
  });

  it.each(['garden,', ',', 'Garden', 'garden;street', 'pg_x', 'garden, street', 'garden street'])(
    'is refused with its number for %j',
    (stations) => {
      const bad = line.replace('garden,default', stations);
      expect(() => readKeys(`# tenants\n${bad}\n`)).toThrow(/^line 2: .*stations/);
    },
  );
});
