import type { IncomingHttpHeaders } from 'node:http';
import { expect, it } from 'vitest';
import { describeOnWire, openForAll } from '../engines.ts';
import { startTestService } from '../service.ts';
import { send, textOf } from './raw.ts';

const CSV_TYPE = 'text/csv; charset=utf-8; header=present';
const shared = ({ link, 'cache-control': kept }: IncomingHttpHeaders) => ({ link, kept });

const EVERY = 'threshold=-10&min_duration_seconds=0';
const DAY = 'from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z';

/** Levels rise above -10 dB for one second of each minute. */
const POINTS = `insert into audio_data (time, rms_db, frequency_hz)
  select '2026-01-01T06:00:00Z'::timestamptz + n * interval '500 ms', case when n % 120 < 2 then -5.25 else -30 end, 440
  from generate_series(0, 1199) n`;

describeOnWire('answers as tables', (engine) => {
  const service = openForAll(async () => {
    const started = await startTestService(engine);
    await started.sql(POINTS);
    return started;
  });
  const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    send(`${service.url}/api/v1${path}`, headers, method);

  it.each([
    [`/stats/series?${DAY}&bucket=1h`, 'buckets', 24],
    [`/stats/days?${DAY}&time_zone=Europe/Vienna`, 'days', 2],
    [`/stats/distribution?${DAY}&step=5`, 'levels', 11],
    [`/events/list?${DAY}&${EVERY}`, 'events', 10],
    [`/events/list?${DAY}&threshold=0`, 'events', 0],
    [`/events/series?${DAY}&bucket=1h`, 'buckets', 24],
    [`/events/top?${DAY}&${EVERY}&limit=3`, 'events', 3],
  ])('GET %s has the same %s in CSV and in JSON', async (path, field, count) => {
    const [json, csv] = [await get(path), await get(path, { accept: 'text/csv' })];
    expect([csv.status, csv.headers['content-type'], csv.headers.vary]).toEqual([
      200,
      CSV_TYPE,
      'accept, accept-encoding',
    ]);
    expect(shared(csv.headers)).toEqual(shared(json.headers));
    const rows: object[] = JSON.parse(textOf(json))[field];
    expect(rows).toHaveLength(count);
    const [head = '', ...lines] = textOf(csv).split('\n');
    expect(lines.pop()).toBe('');
    const columns = head.split(',');
    expect(lines).toEqual(rows.map((row) => columns.map((column) => Reflect.get(row, column) ?? '').join()));
    for (const row of rows) expect(columns.toSorted()).toEqual(Object.keys(row).toSorted());
    expect(head).toMatch(/^[a-z0-9_]+(,[a-z0-9_]+)+$/);
  });

  it('links to the next page, and pages return every event once', async () => {
    const whole = textOf(await get(`/events/list?${DAY}&${EVERY}`, { accept: 'text/csv' }));
    let [path, text] = [`/events/list?${DAY}&${EVERY}&limit=4`, ''];
    for (let page = 1; path; page++) {
      const answer = await get(path, { accept: 'text/csv' });
      const [, next] = /^<(list\?[^>]*)>; rel="next", /.exec(`${shared(answer.headers).link}`) ?? [];
      path = next ? `/events/${next}` : '';
      expect(path !== '').toBe(page < 3);
      const rows = textOf(answer);
      text += page > 1 ? rows.slice(rows.indexOf('\n') + 1) : rows;
    }
    expect(text).toBe(whole);
  });

  it('still answers errors as problems', async () => {
    const { status, headers } = await get('/stats/series?from=now', { accept: 'text/csv' });
    expect([status, headers['content-type']]).toEqual([400, 'application/problem+json']);
  });
});
