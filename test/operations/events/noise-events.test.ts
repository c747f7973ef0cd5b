import { beforeEach, expect, it } from 'vitest';
import { NoiseEventsOutput } from '../../../src/operations/events/list/contract.ts';
import { describeOnWire, openForAll } from '../../engines.ts';
import { DBFS_SCALE } from '../../scales.ts';
import { insertPoints, queryOf, startTestService } from '../../service.ts';

describeOnWire('events.list', (engine) => {
  const service = openForAll(() => startTestService(engine));
  beforeEach(async () => {
    await service.sql('truncate audio_data');
    await service.sql(
      insertPoints([
        ['2026-03-01T11:00:00Z', -42.9, 100],
        ['2026-03-01T11:40:00Z', -30, 100],
        ['2026-03-01T11:40:00.5Z', -8, 440],
        ['2026-03-01T11:40:01Z', -12, 440],
        ['2026-03-01T11:40:01.5Z', -8, 220],
        ['2026-03-01T11:40:02Z', null, null],
        ['2026-03-01T11:50:00Z', -2, 100],
        ['2026-03-01T11:50:00.5Z', -50, 100],
        ['2026-03-01T12:00:00Z', -50, 100],
        ['2026-03-01T12:00:00.5Z', -1, null],
      ]),
    );
  });

  const list = queryOf(service, '/events/list', NoiseEventsOutput);
  const EVERY = 'threshold=-10&hysteresis=0&hold_seconds=auto&min_duration_seconds=0';

  it('finds sound 10 dB over the background by default, for 5 s and with dips of up to 10 s', async () => {
    await service.sql('truncate audio_data');
    const seconds = (at: number, count: number, level: number) =>
      insertPoints(
        Array.from({ length: count }, (_, n) => [
          new Date(Date.parse('2026-03-01T11:30:00Z') + (at + n) * 1000).toISOString(),
          level,
          100,
        ]),
      );
    await service.sql(seconds(-60, 60, -45)); // the background
    await service.sql(seconds(0, 4, -34)); // too short
    await service.sql(seconds(60, 4, -34));
    await service.sql(seconds(72, 2, -37)); // after 9 s, and within the hysteresis
    await service.sql(seconds(82, 1, -34.9));
    await service.sql(seconds(100, 6, -34));
    const { events, ...answer } = await list('to=2026-03-01T12:00:00Z&from=2026-03-01T11:00:00Z');
    expect(answer).toMatchObject({
      threshold: null,
      above_background: 10,
      hysteresis: 3,
      hold_seconds: 10,
      min_duration_seconds: 5,
    });
    expect(
      events.map(({ start, end, threshold }) => [start.slice(14, 19), end.slice(14, 19), threshold]),
    ).toEqual([
      ['31:40', '31:46', -35],
      ['31:00', '31:23', -35],
    ]);
  });

  it('returns the events above a threshold, newest first', async () => {
    const usual = {
      under_range: 0,
      over_range: 0,
      threshold: -10,
      background_db: -42.9,
      background_at_floor: false,
      sel_complete: false,
      truncated_start: false,
      truncated_end: false,
      open: false,
    };
    const mean = (10 ** -0.8 + 10 ** -1.2 + 10 ** -0.8) / 3;
    expect(await list(`${EVERY}&to=2026-03-01T12:00:00Z&from=2026-03-01T11:00:00Z`)).toEqual({
      excluded_seconds: 0,
      threshold: -10,
      above_background: null,
      hysteresis: 0,
      hold_seconds: 1,
      min_duration_seconds: 0,
      spacing_seconds: 0.5,
      from: '2026-03-01T11:00:00.000000Z',
      to: '2026-03-01T12:00:00.000000Z',
      scale: DBFS_SCALE,
      events: [
        {
          start: '2026-03-01T11:50:00.000000Z',
          end: '2026-03-01T11:50:00.500000Z',
          duration_seconds: 0.5,
          peak_db: -2,
          peak_at: '2026-03-01T11:50:00.000000Z',
          leq_db: expect.closeTo(-2, 6),
          leq_low_db: expect.closeTo(-2, 6),
          sel_db: expect.closeTo(-2 + 10 * Math.log10(0.5), 6),
          point_count: 1,
          dominant_frequency_hz: 100,
          ...usual,
        },
        {
          start: '2026-03-01T11:40:00.500000Z',
          end: '2026-03-01T11:40:02.000000Z',
          duration_seconds: 1.5,
          peak_db: -8,
          peak_at: '2026-03-01T11:40:00.500000Z',
          leq_db: expect.closeTo(10 * Math.log10(mean), 5),
          leq_low_db: expect.closeTo(10 * Math.log10(mean), 5),
          sel_db: expect.closeTo(10 * Math.log10(1.5 * mean), 5),
          point_count: 3,
          dominant_frequency_hz: 440,
          ...usual,
        },
      ],
      next_cursor: null,
    });
  });

  it('reports an event as open if no point has followed yet', async () => {
    const open = async () =>
      (await list(`${EVERY}&from=now-5m`)).events.map(({ start, end, open }) => [
        start.slice(14),
        end.slice(14),
        open,
      ]);
    expect(await open()).toEqual([['00:00.500000Z', '00:01.000000Z', true]]);
    await service.sql(insertPoints([['2026-03-01T12:00:00.75Z', null, null]]));
    expect(await open()).toEqual([['00:00.500000Z', '00:00.750000Z', false]]);
  });

  it('returns every event once for any page size, and keeps the defaults of the first page', async () => {
    const query = `${EVERY}&to=now`;
    const all = await list(query);
    for (const limit of [1, 2]) {
      let path: string | undefined = `/events/list?${query}&limit=${limit}`;
      const events = [];
      while (path) {
        const { status, body, headers } = await service.get(path);
        expect([status, body.spacing_seconds, body.hold_seconds]).toEqual([200, 0.5, 1]);
        expect(body.events.length).toBeLessThanOrEqual(limit);
        events.push(...body.events);
        const [, next] = /^<(list\?.*)>; rel="next", /.exec(headers.get('link') ?? '') ?? [];
        path = next && `/events/${next}`;
        // shorter spacing than before
        await service.sql(`insert into audio_data (time, rms_db)
          select '2026-03-01T11:59:00Z'::timestamptz + n * interval '10 ms', -50 from generate_series(1, 100) n`);
      }
      expect(events).toEqual(all.events);
      await service.sql(
        `delete from audio_data where time > '2026-03-01T11:59:00Z' and time < '2026-03-01T12:00:00Z'`,
      );
    }
  });

  it('measures above the background instead of a threshold', async () => {
    const { threshold, above_background, events } = await list(
      'above_background=34&hysteresis=5&hold_seconds=auto&min_duration_seconds=0&to=now',
    );
    expect([threshold, above_background]).toEqual([null, 34]);
    expect(events.map((event) => [event.start.slice(11, 19), event.threshold, event.background_db])).toEqual([
      ['11:50:00', -8.9, -42.9],
      ['11:40:00', -8.9, -42.9],
    ]);
  });

  it('refuses a cursor of another request', async () => {
    const { next_cursor } = await list(`${EVERY}&limit=1&to=now`);
    expect((await service.get(`/events/list?${EVERY}&limit=2&to=now&cursor=${next_cursor}`)).status).toBe(
      200,
    );
    for (const other of [
      `list?${EVERY.replace('-10', '-11')}&to=now`,
      `list?${EVERY.replace('hysteresis=0', 'hysteresis=1')}&to=now`,
      `list?${EVERY}`,
      'loud?to=now',
      `list?${EVERY.replace('auto', '1')}&to=now`,
      `list?${EVERY.replace('threshold=-10', 'above_background=10')}&to=now`,
    ]) {
      const { status, body } = await service.get(`/events/${other}&cursor=${next_cursor}`);
      expect([status, body.errors?.[0].parameter], other).toEqual([400, 'cursor']);
    }
  });

  it('accepts its own cursor, however far apart points are', async () => {
    await service.sql(
      insertPoints([
        ['1900-01-01T00:00:00Z', -3, 100],
        ['1950-01-01T00:00:00Z', -3, 100],
        ['2000-01-01T00:00:00Z', -3, 100],
      ]),
    );
    const path = `/events/list?${EVERY.replace('auto', '0')}&to=2001-01-01T00:00:00Z&limit=1`;
    const { body } = await service.get(path);
    const next = await service.get(`${path}&cursor=${body.next_cursor}`);
    expect([body, next.body].map(({ events }) => events[0].start)).toEqual([
      '2000-01-01T00:00:00.000000Z',
      '1950-01-01T00:00:00.000000Z',
    ]);
  });
});
