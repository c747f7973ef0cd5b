import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import {
  describeEmbeddedAndOnWire,
  describeServer,
  describeServerOnWire,
  openForAll,
} from '../../engines.ts';
import { open, send } from '../../http/raw.ts';
import { empty, serviceOn } from '../../http/service-on.ts';
import { POINT, pointRow, repeated } from '../../rows.ts';
import { insertPoints, startBeside, startTestService } from '../../service.ts';

const QUERY = '/api/v1/export/csv?from=2025-01-01T00:00:00Z&to=2026-01-01T00:00:00Z';
const HEADER = 'time,rms_db,frequency_hz,is_silence\n';
const ROW = pointRow({ ...POINT, rms_db: null, frequency_hz: null });

describeEmbeddedAndOnWire('export.csv', (engine) => {
  const service = openForAll(() => startTestService(engine));
  beforeAll(async () => {
    await service.sql(
      insertPoints([
        ['2026-01-01T00:00:00.000001Z', -12.34, 440],
        ['2026-01-01T00:00:00Z', null, null, true],
        ['2026-01-01T00:00:01Z', 0, 8000],
        ['2026-01-01T00:00:02Z', -1, 100],
      ]),
    );
    await service.sql(`insert into audio_data (time, rms_db, frequency_hz)
      select '2025-06-01Z'::timestamptz + n * interval '10 ms', -(n % 500) / 10.0, 100 + n % 7900 from generate_series(0, 29999) n`);
  });

  it('returns a CSV file: header row, oldest first, empty for null', async () => {
    const { status, headers, body } = await service.get(
      '/export/csv?from=2026-01-01T00:00:00Z&to=2026-01-01T00:00:02Z',
    );
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present');
    expect(headers.get('content-disposition')).toBe(
      'attachment; filename="audio_2026-01-01T00-00-00.000000Z_2026-01-01T00-00-02.000000Z.csv"',
    );
    expect(body).toBe(
      `${HEADER}2026-01-01T00:00:00.000000Z,,,true\n2026-01-01T00:00:00.000001Z,-12.34,440,false\n2026-01-01T00:00:01.000000Z,0,8000,false\n`,
    );
  });

  it('returns the header row alone for an empty interval', async () => {
    expect((await service.get('/export/csv?from=2020-01-01T00:00:00Z&to=2020-01-02T00:00:00Z')).body).toBe(
      HEADER,
    );
  });

  it('streams 30,000 points completely, over REST and to the typed client', async () => {
    const interval = { from: '2025-06-01T00:00:00Z', to: '2025-07-01T00:00:00Z' };
    const { body } = await service.get(`/export/csv?from=${interval.from}&to=${interval.to}`);
    const lines = body.split('\n');
    expect(lines).toHaveLength(30_002);
    expect(lines[30_000]).toBe('2025-06-01T00:04:59.990000Z,-49.9,6399,false');
    expect(lines.slice(1, -1).toSorted().join() === lines.slice(1, -1).join()).toBe(true);
    const pieces: string[] = [];
    for await (const piece of await service.client.export.csv.query(interval)) pieces.push(piece);
    expect(pieces.length).toBeGreaterThan(1);
    expect(pieces.join('') === body).toBe(true);
  });
});

describeServer('citus', 'export.csv', (engine) => {
  const database = openForAll(() => engine.open());

  it('reads pages, because Citus sends nothing of a COPY before it has all rows', async () => {
    await database.sql(`insert into audio_data (time, rms_db)
      select '2025-06-01Z'::timestamptz + n * interval '10 ms', -10 from generate_series(0, 29999) n`);
    const copyOut = () => {
      throw new Error('would wait for the last row');
    };
    const service = await startBeside({ ...database, db: { ...database.db, copyOut } });
    onTestFinished(service.close);
    const { status, body } = await service.get(QUERY.replace('/api/v1', ''));
    expect([status, body.split('\n').length]).toEqual([200, 30_002]);
  });
});

describeServerOnWire('export.csv', (engine) => {
  const service = openForAll(() => startTestService(engine, {}, { queryTimeoutMs: 300 }));

  it('waits for a slow reader, and ends the query when the reader leaves', async () => {
    await service.sql(`insert into audio_data (time, rms_db)
      select '2025-06-01Z'::timestamptz + n * interval '10 ms', -10 from generate_series(0, 299999) n`);
    const controller = new AbortController();
    const got = request(`${service.url}${QUERY}`, { signal: controller.signal });
    got.on('error', () => {});
    got.end();
    const [response] = await once(got, 'response');
    response.on('error', () => {});
    response.pause();
    await expect.poll(running).toBe(1);
    controller.abort();
    await expect.poll(running).toBe(0);
  });

  it('answers 504 instead of hanging if the table is locked', async () => {
    await service.sql('begin; lock table audio_data in access exclusive mode');
    const { status, body } = await service.get(QUERY.replace('/api/v1', ''));
    await service.sql('rollback');
    expect([status, body.code]).toEqual([504, 'GATEWAY_TIMEOUT']);
  });

  /** Counts the exports that run in the database. */
  async function running(): Promise<number> {
    const rows = await service.sql(
      `select from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
         and state = 'active' and query ilike 'copy (select %from "audio_data"%'`,
    );
    return rows.length;
  }
});

describe.each([
  ['CSV', 5000, {}],
  ['CSV in gzip', 5000, { 'accept-encoding': 'gzip' }],
  ['CSV in Brotli', 5000, { 'accept-encoding': 'br' }],
  ['CSV in Zstandard', 5000, { 'accept-encoding': 'zstd' }],
  ['Parquet', 5000, { accept: 'application/vnd.apache.parquet' }],
  ['several row groups of Parquet', 120_000, { accept: 'application/vnd.apache.parquet' }],
])('an export as %s, of %i rows', (_, rows, headers) => {
  /** A service whose exports yield this many rows, and then fail. */
  const failingAfter = (count: number) =>
    serviceOn({
      ...empty,
      async *copyOut() {
        if (count > 0) yield repeated(ROW, count);
        throw new Error('secret text of the database');
      },
    });

  it('is an uncompressed problem if it fails before its first row', async () => {
    const { status, headers: found, body } = await send(`${await failingAfter(0)}${QUERY}`, headers);
    expect([status, found['content-type']]).toEqual([500, 'application/problem+json']);
    expect([found['content-encoding'], found['content-disposition']]).toEqual([undefined, undefined]);
    expect(`${body}`).not.toContain('secret');
  });

  it('breaks the connection if it fails half way: no part looks complete', async () => {
    const answer = await open(`${await failingAfter(rows)}${QUERY}`, headers);
    expect(answer.statusCode).toBe(200);
    await expect(answer.toArray()).rejects.toThrow('aborted');
  });

  it('resets the connection in HTTP/1.0, because a plain end would complete the file', async () => {
    const { port } = new URL(await failingAfter(rows));
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    const socket = connect(Number(port), '127.0.0.1', () =>
      socket.write(`GET ${QUERY} HTTP/1.0\r\n${lines.join('')}\r\n`),
    );
    await expect(socket.toArray()).rejects.toMatchObject({ code: 'ECONNRESET' });
  });
});
