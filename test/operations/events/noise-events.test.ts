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

  it('returns the events of the default threshold, newest first', async () => {
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
    expect(await list('to=2026-03-01T12:00:00Z&from=2026-03-01T11:00:00Z')).toEqual({
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
      (await list('from=now-5m')).events.map(({ start, end, open }) => [
        start.slice(14),
        end.slice(14),
        open,
      ]);
    expect(await open()).toEqual([['00:00.500000Z', '00:01.000000Z', true]]);
    await service.sql(insertPoints([['2026-03-01T12:00:00.75Z', null, null]]));
    expect(await open()).toEqual([['00:00.500000Z', '00:00.750000Z', false]]);
  });

  it('returns every event once for any page size, and keeps the defaults of the first page', async () => {
    const query = 'hysteresis=0&to=now&threshold=-10';
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
    const { threshold, above_background, events } = await list('above_background=34&hysteresis=5&to=now');
    expect([threshold, above_background]).toEqual([null, 34]);
    expect(events.map((event) => [event.start.slice(11, 19), event.threshold, event.background_db])).toEqual([
      ['11:50:00', -8.9, -42.9],
      ['11:40:00', -8.9, -42.9],
    ]);
  });

  it('refuses a cursor of another request', async () => {
    const { next_cursor } = await list('limit=1&to=now');
    expect((await service.get(`/events/list?limit=2&to=now&cursor=${next_cursor}`)).status).toBe(200);
    for (const other of [
      'list?to=now&threshold=-11',
      'list?to=now&hysteresis=1',
      'list?limit=1',
      'loud?to=now',
      'list?to=now&hold_seconds=1',
      'list?to=now&above_background=10',
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
    const path = '/events/list?to=2001-01-01T00:00:00Z&hold_seconds=0&limit=1';
    const { body } = await service.get(path);
    const next = await service.get(`${path}&cursor=${body.next_cursor}`);
    expect([body, next.body].map(({ events }) => events[0].start)).toEqual([
      '2000-01-01T00:00:00.000000Z',
      '1950-01-01T00:00:00.000000Z',
    ]);
  });
});
