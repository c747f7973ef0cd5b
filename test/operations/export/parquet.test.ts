import type { IncomingHttpHeaders } from 'node:http';
import { beforeAll, expect, it } from 'vitest';
import { CSV_HEADER, type Point } from '../../../src/contract/point.ts';
import { describeOnWire, openForAll } from '../../engines.ts';
import { send } from '../../http/raw.ts';
import { readParquet } from '../../parquet.ts';
import { insertPoints, startTestService } from '../../service.ts';

const PARQUET = 'application/vnd.apache.parquet';
const CSV = 'text/csv; charset=utf-8; header=present';
const NDJSON = 'application/x-ndjson';
const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
/** A day without the many points of the next test. */
const DAY = 'from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z';
const EXPORT = `/api/v1/export/csv?${DAY}`;

describeOnWire('export.csv as Parquet', (engine) => {
  const service = openForAll(() => startTestService(engine));
  beforeAll(async () => {
    await service.sql(
      insertPoints([
        ['2026-01-01T12:00:00.000001Z', -12.34, 440],
        ['2026-01-01T12:00:00.000001Z', -12.34, 440],
        ['2026-01-01T12:00:00.000001Z', null, null, true],
        ['2026-01-01T12:00:00Z', 0, 8000],
        ['2026-01-01T12:00:01Z', -50, 100],
        ['2026-01-01T12:00:02Z', -1e-5, null],
        ['0001-01-01T00:00:00Z', -3, 100],
        ['9999-12-31T23:59:59.999999Z', -4, 100],
      ]),
    );
    await service.sql(`insert into audio_data (time, rms_db, frequency_hz, is_silence)
      select '2026-01-02Z'::timestamptz + n * interval '7.142857 s', nullif(-(n % 500) / 10.0, -3)::real,
        nullif(100 + n % 7900, 105), n % 3 = 0 from generate_series(0, 11000) n`);
  });
  const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    send(`${service.url}${path}`, headers, method);

  it.each([
    ['two days', 'from=2026-01-01T00:00:00Z&to=2026-01-03T00:00:00Z'],
    ['all years', 'from=0001-01-01T00:00:00Z&to=9999-12-31T23:59:59.999999Z'],
    ['nothing', 'from=2020-01-01T00:00:00Z&to=2020-01-02T00:00:00Z'],
  ])('holds the same points of %s as CSV, in the same order', async (_, interval) => {
    const path = `/api/v1/export/csv?${interval}`;
    const [file, csv] = [await get(path, { accept: PARQUET }), await get(path)];
    const { points, metadata } = await readParquet(file.body);
    expect(Number(metadata.num_rows)).toBe(points.length);
    const [head, ...lines] = csv.body.toString().trimEnd().split('\n');
    expect(head).toBe(CSV_HEADER);
    expect(JSON.stringify(points) === JSON.stringify(lines.map(pointOf))).toBe(true);
  });

  it('has the headers of a file, requested by Accept or by format, and for HEAD', async () => {
    const answer = await get(EXPORT, { accept: PARQUET, 'accept-encoding': 'gzip, zstd' });
    expect(stable(answer.headers)).toEqual({
      ...stable((await get(EXPORT)).headers),
      'content-type': PARQUET,
      'content-disposition':
        'attachment; filename="audio_2026-01-01T00-00-00.000000Z_2026-01-02T00-00-00.000000Z.parquet"',
      vary: 'accept',
    });
    const linked = await get(`${EXPORT}&format=parquet`, { accept: BROWSER });
    expect(stable(linked.headers)).toEqual(stable(answer.headers));
    expect(linked.body.equals(answer.body)).toBe(true);
    for (const [path, accept] of [
      [EXPORT, PARQUET],
      [`${EXPORT}&format=parquet`, BROWSER],
    ] as const) {
      const head = await get(path, { accept }, 'HEAD');
      expect([head.status, head.body.length, stable(head.headers)]).toEqual([200, 0, stable(answer.headers)]);
    }
  });

  it.each([
    ['csv', undefined, CSV],
    ['csv', `${PARQUET};q=1, text/csv;q=0.1`, CSV],
    ['ndjson', BROWSER, NDJSON],
    ['csv-semicolon', BROWSER, `${CSV}; delimiter=semicolon`],
    ['csv-semicolon', 'text/csv', `${CSV}; delimiter=semicolon`],
    ['parquet', 'application/*', PARQUET],
    ['parquet', 'text/csv', undefined],
    ['csv', PARQUET, undefined],
  ])('answers format=%s with Accept: %s as %s', async (format, accept, type) => {
    const { status, headers, body } = await get(`${EXPORT}&format=${format}`, accept ? { accept } : {});
    expect([status, headers['content-type']]).toEqual(type ? [200, type] : [406, 'application/problem+json']);
    if (type) return;
    const only = format === 'csv' ? CSV : PARQUET;
    expect(JSON.parse(body.toString()).detail).toBe(`Accept allows nothing that is available: ${only}`);
  });

  it('is refused to the typed client, like every format but CSV', async () => {
    const interval = { from: '2026-01-01T12:00:00Z', to: '2026-01-01T12:00:01Z' };
    let text = '';
    for await (const piece of await service.client.export.csv.query({ ...interval, format: 'csv' }))
      text += piece;
    expect(text.split('\n')[0]).toBe(CSV_HEADER);
    for (const format of ['parquet', 'ndjson', 'csv-semicolon'] as const)
      await expect(service.client.export.csv.query({ ...interval, format })).rejects.toMatchObject({
        data: {
          httpStatus: 400,
          errors: [
            {
              parameter: 'format',
              detail: 'must be csv or left out on tRPC. REST has the other formats',
            },
          ],
        },
      });
  });
});

/** Omits headers that differ between answers, or that only an answer with a body has. */
const stable = ({ 'x-request-id': _, date: __, 'transfer-encoding': ___, ...others }: IncomingHttpHeaders) =>
  others;

/** The point of a CSV row, with its level as a 32-bit number, as Parquet holds it. */
function pointOf(line: string): Point {
  const [time = '', level = '', frequency = '', silence] = line.split(',');
  return {
    time,
    rms_db: level === '' ? null : Math.fround(Number(level)),
    frequency_hz: frequency === '' ? null : Number(frequency),
    is_silence: silence === 'true',
  };
}
