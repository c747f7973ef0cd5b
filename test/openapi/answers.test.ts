// The service answers as the OpenAPI document describes.
import { beforeAll, expect, it } from 'vitest';
import { describeOnWire, openForAll } from '../engines.ts';
import { insertPoints, startTestService } from '../service.ts';
import { type Document, fetchDocument, judge, operationAt } from './document.ts';

const DAY = 'from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z';

describeOnWire('every answer matches the document', (engine) => {
  const service = openForAll(() => startTestService(engine, { limits: { ratePerMinute: 10_000 } }));
  let document: Document;
  beforeAll(async () => {
    await service.sql(
      insertPoints([
        ['2026-01-01T00:00:00.000001Z', -9.34, 440],
        ['2026-01-01T00:00:01Z', null, null, true],
        ['2026-01-01T00:00:02Z', 0, 8000],
        ['2026-01-01T00:00:03Z', -50, 100],
      ]),
    );
    document = await fetchDocument(service.url);
  });

  it.each([
    '/audio/latest',
    '/audio/latest?limit=2',
    `/audio/range?${DAY}`,
    `/audio/range?${DAY}&limit=1`,
    '/audio/range?from=now-1h&to=now',
    '/stats/summary',
    '/stats/summary?period=24h&to=2026-01-02T00:00:00Z',
    '/stats/series?from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z&bucket=1h',
    `/stats/series?${DAY}&bucket=1d&time_zone=Europe/Vienna`,
    `/stats/summary?${DAY}`,
    `/stats/days?${DAY}&time_zone=Europe/Vienna`,
    `/stats/distribution?${DAY}`,
    `/stats/frequencies?${DAY}`,
    `/stats/limits?${DAY}&limits=06-22=55,22-06=45&time_zone=Europe/Vienna`,
    `/stats/quality?${DAY}`,
    `/stats/worst?${DAY}&time_zone=Europe/Vienna`,
    '/events/loud',
    '/events/loud?threshold=-49.5&from=now-30d&limit=1',
    `/events/loud?${DAY}&limit=1`,
    '/service/info',
    '/events/list',
    `/events/list?${DAY}&hold_seconds=0.5&limit=1`,
    `/events/list?${DAY}&above_background=3`,
    `/events/series?${DAY}`,
    `/events/series?${DAY}&above_background=3&bucket=1d&time_zone=Europe/Vienna`,
    `/events/top?${DAY}&threshold=-49.5&limit=1`,
    `/events/top?${DAY}&by=duration`,
    '/health/live',
    '/health/ready',
  ])('GET %s', async (path) => expect(await describedStatus(path)).toBe(200));

  it('GET /export/csv', async () => {
    const { status, headers, body } = await service.get(`/export/csv?${DAY}`);
    const { 200: described } = operationAt(document, '/export/csv').responses;
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe(Object.keys(described?.content ?? {})[0]);
    for (const name of Object.keys(described?.headers ?? {})) expect(headers.get(name), name).not.toBe(null);
    expect(body.split('\n')).toHaveLength(6);
  });

  it.each([
    '/audio/latest?limit=0',
    '/audio/range',
    '/stats/summary?period=2h',
    '/stats/limits?from=now-1d&to=now&limits=loud',
    '/events/loud?threshold=1',
    '/service/info?limit=1',
    '/events/list?threshold=-10&above_background=10',
    '/export/csv?from=now&to=now',
  ])('GET %s returns a problem as described', async (path) => expect(await describedStatus(path)).toBe(400));

  /** Returns the status of an answer that matches its description. */
  async function describedStatus(path: string): Promise<number> {
    const { status, headers, body } = await service.get(path);
    const described = operationAt(document, path.replace(/\?.*/, '')).responses[status];
    const type = headers.get('content-type')?.replace(/;.*/, '') ?? '';
    const schema = described?.content[type]?.schema;
    if (!schema) throw new Error(`${status} ${type} is not described`);
    expect(judge(document, schema, body)).toEqual([]);
    for (const name of Object.keys(described?.headers ?? {})) expect(headers.get(name), name).not.toBe(null);
    expect(unknownProperties(document, schema, body)).toEqual([]);
    return status;
  }

  it('accepts every example of the document as it stands', async () => {
    for (const [path, item] of Object.entries(document.paths)) {
      const examples = (item.get?.parameters ?? [])
        .filter(({ example }) => example !== undefined)
        .map(({ name, example }): [string, string] => [name, `${example}`]);
      const { status, body } = await fetch(`${service.url}/api/v1${path}?${new URLSearchParams(examples)}`);
      await body?.cancel(); // a stream would not end
      expect([path, status]).toEqual([path, 200]);
    }
  });
});

/** Properties of an answer, its points and its events that the schema does not name. */
function unknownProperties(document: Document, schema: object, body: object): string[] {
  const name = '$ref' in schema ? `${schema.$ref}`.split('/').at(-1) : undefined;
  const { [name ?? '']: whole, Point: point, NoiseEvent: event } = document.components.schemas;
  if (!whole || !event) throw new Error(`${JSON.stringify(schema)} is not a reference`);
  const points = 'points' in body ? (body.points as object[]) : [];
  const events = 'events' in body ? (body.events as object[]) : [];
  return [
    ...Object.keys(body).filter((key) => !(key in whole.properties)),
    ...events.flatMap((row) => Object.keys(row).filter((key) => !(key in event.properties))),
    ...points.flatMap((row) => Object.keys(row).filter((key) => !(key in point.properties))),
  ];
}
