import fc from 'fast-check';
import { beforeEach, expect, it } from 'vitest';
import { instantOf } from '../../../src/contract/instant.ts';
import type { Point } from '../../../src/contract/point.ts';
import { describeOnWire, openForAll } from '../../engines.ts';
import { insertPoints, NOW, startTestService } from '../../service.ts';

const forged = (content: unknown) => Buffer.from(JSON.stringify(content)).toString('base64url');

const POSITION = { level: -1, frequency: 100, silence: false, skip: 1 };

describeOnWire('audio', (engine) => {
  const service = openForAll(() => startTestService(engine));
  beforeEach(() => service.sql('truncate audio_data'));

  it('answers an empty table with no points', async () => {
    expect((await service.get('/audio/latest')).body).toEqual({ points: [] });
    expect((await service.get('/audio/range?from=now-1h&to=now')).body).toEqual({
      from: '2026-03-01T11:00:00.500000Z',
      to: '2026-03-01T12:00:00.500000Z',
      points: [],
      next_cursor: null,
    });
  });

  it('returns stored points unchanged: six digits, UTC, nulls as null', async () => {
    await service.sql(
      insertPoints([
        ['2026-01-01T01:00:00.000001+01:00', -12.34, 440],
        ['2026-01-01T00:00:00.999999Z', null, null, true],
        ['2026-01-01T00:00:01Z', -50, 100, true],
        ['2026-01-01T00:00:02Z', 0, 8000],
      ]),
    );
    const points = [
      { time: '2026-01-01T00:00:00.000001Z', rms_db: -12.34, frequency_hz: 440, is_silence: false },
      { time: '2026-01-01T00:00:00.999999Z', rms_db: null, frequency_hz: null, is_silence: true },
      { time: '2026-01-01T00:00:01.000000Z', rms_db: -50, frequency_hz: 100, is_silence: true },
      { time: '2026-01-01T00:00:02.000000Z', rms_db: 0, frequency_hz: 8000, is_silence: false },
    ];
    const range = await service.get('/audio/range?from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z');
    expect(range.body.points).toEqual(points);
    expect((await service.get('/audio/latest')).body).toEqual({ points: points.toReversed() });
    expect((await service.get('/audio/latest?limit=1')).body).toEqual({ points: [points[3]] });
  });

  it('includes a point at `from`, and excludes a point at `to`', async () => {
    await service.sql(
      insertPoints([
        ['2026-01-01T00:00:00.000000Z', -1, 100],
        ['2026-01-01T00:00:00.999999Z', -2, 100],
        ['2026-01-01T00:00:01.000000Z', -3, 100],
      ]),
    );
    const levels = async (from: string, to: string) =>
      (await service.get(`/audio/range?from=${from}&to=${to}`)).body.points.map(
        (point: Point) => point.rms_db,
      );
    expect(await levels('2026-01-01T00:00:00Z', '2026-01-01T00:00:01Z')).toEqual([-1, -2]);
    expect(await levels('2026-01-01T00:00:01Z', '2026-01-01T00:00:01.000001Z')).toEqual([-3]);
    expect(await levels('2026-01-01T00:00:00.000001Z', '2026-01-01T00:00:00.999999Z')).toEqual([]);
    // an unescaped + arrives as a space, %2B as +
    expect(await levels('2026-01-01T02:00:00+02:00', '2026-01-01T02:00:01%2B02:00')).toEqual([-1, -2]);
  });

  it('lists points dated over a minute ahead among the latest only if asked, and no times that the contract cannot express', async () => {
    if (engine.name !== 'TimescaleDB') {
      await service.sql(
        `insert into audio_data (time) values ('infinity'), ('-infinity'), ('20000-01-01Z'), ('0044-01-01Z BC')`,
      );
    }
    await service.sql(
      insertPoints([
        ['2026-01-01T00:00:00Z', -1, 100],
        ['2999-01-01T00:00:00Z', -2, 100],
        [instantOf(Date.parse(NOW) + 59_999), -3, 100],
        [instantOf(Date.parse(NOW) + 60_000), -4, 100],
      ]),
    );
    const levels = async (query: string) =>
      (await service.get(`/audio/latest${query}`)).body.points.map((point: Point) => point.rms_db);
    expect(await levels('')).toEqual([-3, -1]);
    expect(await levels('?ahead=omit')).toEqual([-3, -1]);
    expect(await levels('?ahead=include')).toEqual([-2, -4, -3, -1]);
    expect((await service.get('/audio/latest?ahead=yes')).status).toBe(400);
  });

  it('shows absolute levels of now, whatever scale points dated ahead have', async () => {
    await service.sql(`insert into audio_data_periods (since, weighting, reference_db)
      values ('2026-01-01Z', 'A', 90), ('2034-01-01Z', 'A', 100)`);
    await service.sql(
      insertPoints([
        [NOW, -20, 100],
        ['2034-05-01T00:00:00Z', -20, 100],
      ]),
    );
    const latest = await service.get('/audio/latest?levels=absolute');
    expect(latest.body).toMatchObject({ scale: { unit: 'dB(A)' }, points: [{ rms_db: 70 }] });
    expect((await service.get('/audio/latest?levels=absolute&ahead=include')).status).toBe(400);
    const leaving = new AbortController();
    const live = `${service.url}/api/v1/audio/live?levels=absolute`;
    expect((await fetch(live, { signal: leaving.signal })).status).toBe(200);
    leaving.abort();
    await service.sql('truncate audio_data_periods');
  });

  it('announces more points with next_cursor and Link', async () => {
    await service.sql(insertPoints([1, 2, 3].map((n) => [`2026-01-01T00:00:0${n}Z`, -n, 100])));
    const path = '/audio/range?from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z&limit=2';
    const first = await service.get(path);
    expect(first.body.points).toHaveLength(2);
    const [, next] = /^<(range\?.*)>; rel="next", /.exec(first.headers.get('link') ?? '') ?? [];
    const second = await service.get(`/audio/${next}`);
    expect(second.body).toEqual({
      from: '2026-01-01T00:00:00.000000Z',
      to: '2026-01-02T00:00:00.000000Z',
      points: [{ time: '2026-01-01T00:00:03.000000Z', rms_db: -3, frequency_hz: 100, is_silence: false }],
      next_cursor: null,
    });
    expect(second.headers.get('link')).toBe('<../openapi.json>; rel="service-desc"');
    expect((await service.get(`${path.replace('=2&', '=3&')}&cursor=${first.body.next_cursor}`)).status).toBe(
      200,
    );
    const whole = await service.get(path.replace('limit=2', 'limit=3'));
    expect([whole.body.points.length, whole.body.next_cursor]).toEqual([3, null]);
  });

  it.each([5, 2])('loses none of the points after the cursor if %i of five are deleted', async (gone) => {
    const at = (second: number) => `2026-01-01T00:00:0${second}Z`;
    await service.sql(insertPoints([0, 0, 0, 0, 0, 1, 2, 3, 4].map((second) => [at(second), -1, 100])));
    const path = '/audio/range?from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z';
    const { next_cursor, points } = (await service.get(`${path}&limit=4`)).body;
    expect(points.map(({ time }: Point) => time.slice(0, 19))).toEqual(Array(4).fill('2026-01-01T00:00:00'));
    await service.sql(`delete from audio_data where time = '${at(0)}'`);
    const left = Array.from({ length: 5 - gone }, () => [at(0), -1, 100] as const);
    if (left.length > 0) await service.sql(insertPoints(left));
    const rest = (await service.get(`${path}&limit=100&cursor=${next_cursor}`)).body;
    expect(rest.points.map(({ time }: Point) => Number(time.slice(17, 19)))).toEqual([1, 2, 3, 4]);
  });

  it('reads a level in a cursor as 0 if it is too close to 0 for the table', async () => {
    await service.sql(insertPoints([1, 2, 3].map((n) => [`2026-01-01T00:00:0${n}Z`, -n, 100])));
    const path = '/audio/range?from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z&limit=1';
    const { next_cursor } = (await service.get(path)).body;
    const content = JSON.parse(Buffer.from(next_cursor, 'base64url').toString());
    Object.assign(content[4], { skip: 0, row: { ...content[4].row, rms_db: -1e-46 } });
    const cursor = Buffer.from(JSON.stringify(content)).toString('base64url');
    const { status, body } = await service.get(`${path}&cursor=${cursor}`);
    expect([status, body.points[0].time]).toEqual([200, '2026-01-01T00:00:02.000000Z']);
  });

  it('keeps the interval of the first page while the clock moves on', async () => {
    let now = Date.parse('2026-01-01T01:00:00Z');
    const moving = await startTestService(engine, { clock: () => now });
    await moving.sql(insertPoints([1, 2, 3].map((n) => [`2026-01-01T00:00:0${n}Z`, -n, 100])));
    const first = await moving.client.audio.range.query({ from: 'now-1h', to: 'now', limit: 2 });
    now += 3_600_000;
    const second = await moving.client.audio.range.query({
      from: 'now-1h',
      to: 'now',
      limit: 2,
      cursor: first.next_cursor ?? '',
    });
    await moving.close();
    expect(second).toMatchObject({ from: first.from, to: first.to, next_cursor: null });
    expect(second.points.map((point) => point.rms_db)).toEqual([-3]);
  });

  it('delivers every point exactly once, with any duplicates, nulls and page sizes', async () => {
    const point = fc.record({
      second: fc.integer({ min: 0, max: 4 }),
      rms: fc.constantFrom(null, -10, -20),
      frequency: fc.constantFrom(null, 100, 200),
      silence: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(point, { minLength: 1, maxLength: 40 }),
        fc.integer({ min: 1, max: 12 }),
        async (points, limit) => {
          await service.sql('truncate audio_data');
          await service.sql(
            insertPoints(
              points.map((p) => [`2026-01-01T00:00:0${p.second}Z`, p.rms, p.frequency, p.silence]),
            ),
          );
          const expected = points.map(
            (p) => `2026-01-01T00:00:0${p.second}.000000Z ${p.rms} ${p.frequency} ${p.silence}`,
          );
          for (const operation of ['range', 'loud'] as const) {
            const seen: Point[] = [];
            let cursor: string | null = null;
            do {
              const input = {
                from: '2026-01-01T00:00:00Z',
                to: '2026-01-02T00:00:00Z',
                limit,
                ...(cursor && { cursor }),
              };
              const page: { points: Point[]; next_cursor: string | null } =
                operation === 'range'
                  ? await service.client.audio.range.query(input)
                  : await service.client.events.loud.query({ ...input, threshold: -15 });
              expect(page.points.length).toBeLessThanOrEqual(limit);
              if (page.next_cursor) expect(page.points).toHaveLength(limit);
              seen.push(...page.points);
              cursor = page.next_cursor;
            } while (cursor);
            const got = seen.map((p) => `${p.time} ${p.rms_db} ${p.frequency_hz} ${p.is_silence}`);
            const wanted =
              operation === 'range' ? expected : expected.filter((line) => line.includes(' -10 '));
            expect(got.toSorted()).toEqual(wanted.toSorted());
            const times = seen.map((p) => p.time);
            expect(times).toEqual(operation === 'range' ? times.toSorted() : times.toSorted().reverse());
          }
        },
      ),
      { numRuns: 25 },
    );
  });

  it("neither repeats nor hides a point if others arrive with the time of a page's last point", async () => {
    const at = '2026-01-01T00:00:00Z';
    for (const path of ['/audio/range?', '/events/loud?threshold=-49&']) {
      await service.sql('truncate audio_data');
      await service.sql(insertPoints([-10, -9, -8, -7, -6].map((rms) => [at, rms, null])));
      const query = `${path}from=${at}&to=2026-01-02T00:00:00Z`;
      const first = (await service.get(`${query}&limit=3`)).body;
      await service.sql(insertPoints([-20, -8].map((rms) => [at, rms, null])));
      const rest = (await service.get(`${query}&cursor=${first.next_cursor}`)).body;
      const levels = [...first.points, ...rest.points].map((point: Point) => point.rms_db);
      expect([path, levels]).toEqual([path, [-10, -9, -8, -8, -7, -6]]);
    }
  });

  it('refuses a cursor of another request', async () => {
    await service.sql(insertPoints([1, 2, 3].map((n) => [`2026-01-01T00:00:0${n}Z`, -n, 100])));
    const interval = 'from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z';
    const { next_cursor: cursor } = (await service.get(`/audio/range?${interval}&limit=1`)).body;
    for (const path of [
      `/audio/range?from=2026-01-01T00:00:01Z&to=2026-01-02T00:00:00Z&cursor=${cursor}`,
      `/audio/range?from=2026-01-01T00:00:00Z&to=2026-01-03T00:00:00Z&cursor=${cursor}`,
      `/events/loud?${interval}&cursor=${cursor}`,
      `/audio/range?${interval}&cursor=nonsense`,
      `/audio/range?${interval}&cursor=`,
      `/audio/range?${interval}&cursor=${cursor}x`,
      `/audio/range?${interval}&cursor=${Buffer.from('["audio.range",null,null,null,"x",1]').toString('base64url')}`,
      `/audio/range?${interval}&cursor=${'A'.repeat(501)}`,
      `/events/loud?cursor=${forged(['events.loud', -10, null, null, { ...POSITION, time: '2026-02-31T99:99:99.000000Z' }])}`,
      `/events/loud?cursor=${forged(['events.loud', -10, null, null, { ...POSITION, time: '0000-01-01T00:00:00.000000Z' }])}`,
    ]) {
      const { status, body } = await service.get(path);
      expect([path, status]).toEqual([path, 400]);
      expect(body.errors.map((error: { parameter: string }) => error.parameter)).toEqual(['cursor']);
    }
    // the same instants, written differently
    const other = 'from=2026-01-01T01:00:00.0%2B01:00&to=2026-01-02T00:00:00.000Z';
    expect((await service.get(`/audio/range?${other}&cursor=${cursor}`)).body.points).toHaveLength(2);
  });
});
