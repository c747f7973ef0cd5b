// Connections that break at the worst moment. An unhandled error fails this test run.
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import type { Database } from '../../src/database/database.ts';
import { openPostgres } from '../../src/database/postgres.ts';
import { copyIn } from '../copy-in.ts';
import { createDatabase, statement } from '../engines.ts';
import { needs } from '../needs.ts';
import { csvRows } from '../rows.ts';
import { createTestApp } from '../service.ts';
import { after, FATAL, message, onceReady, startProxy, type Tampering } from '../tampering-proxy.ts';

const SHORT = 'sends a message shorter than its length amid an answer';
/** Messages of a failing server, or of another program. Each may fail only the requests of its connection. */
const breaks: Record<string, Tampering> = {
  'ends the connection in the packet that opens it': onceReady(1, () => FATAL),
  'ends and closes the connection in the packet that opens it': onceReady(1, (near) => {
    setImmediate(() => near.end());
    return FATAL;
  }),
  'ends the connection in the packet after the next': onceReady(2, () => FATAL),
  'announces twice that it ends the connection': onceReady(1, () => Buffer.concat([FATAL, FATAL])),
  'closes the connection as it opens': after(0, (near) => void near.end()),
  'resets the connection as it opens': after(0, (near) => void near.resetAndDestroy()),
  'resets the connection when it is open': onceReady(1, (near) => void near.resetAndDestroy()),
  'resets the connection amid an answer': after(2000, (near) => void near.resetAndDestroy()),
  'sends garbage as the connection opens': after(0, () => Buffer.alloc(300, 'R\0\0\0\x0c\xff\xff\xff\xff')),
  'sends garbage amid an answer': after(2000, () => Buffer.alloc(300, 'R\0\0\0\x0c\xff\xff\xff\xff')),
  // not for an export: pg-copy-streams would read such a message for ever
  [SHORT]: after(2000, () => Buffer.from([100, 0, 0, 0, 0, 100, 0, 0, 0, 2, 84, 0, 0, 0, 6, 9, 9])),
  'sends rows to a query that has none': onceReady(2, () => message('D', '\0\x01\0\0\0\x011')),
  'is another kind of server': after(0, () => Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n')),
};

const LONG = "select repeat('x', 100) as line from generate_series(1, 1000)";

const ways: Record<string, (db: Database) => Promise<unknown>> = {
  query: (db) => db.query(statement(LONG)),
  export: async (db) => {
    for await (const _ of db.copyOut?.(statement(LONG), {}) ?? []);
  },
  import: (db) => copyIn(db, csvRows(2000)),
  readiness: (db) => db.ready(),
};

describe('A server that', needs('PostgreSQL', inject('postgres')), () => {
  let [url, drop] = ['', async () => {}];
  beforeAll(async () => {
    const server = inject('postgres');
    if (server) ({ url, drop } = await createDatabase(server, server.template));
  });
  afterAll(() => drop());

  it.concurrent.for(Object.keys(breaks))('%s fails only that connection', async (name, test) => {
    const proxy = await startProxy(url);
    test.onTestFinished(proxy.close);
    const options = { queryTimeoutMs: 1000, exportTimeoutMs: 1000, poolWaitMs: 200 };
    const db = openPostgres({ url: proxy.url, ...options });
    test.onTestFinished(() => db.close());
    proxy.tamper(breaks[name]);
    const tried = Object.entries(ways).filter(([way]) => name !== SHORT || way !== 'export');
    const outcomes = await Promise.allSettled(tried.map(([, way]) => way(db)));
    const codes = outcomes.map((outcome) => (outcome.status === 'rejected' ? outcome.reason.code : 'done'));
    for (const code of codes) test.expect(['done', 'SERVICE_UNAVAILABLE', 'GATEWAY_TIMEOUT']).toContain(code);
    test.expect(codes).not.toEqual(codes.map(() => 'done'));
    proxy.tamper(undefined);
    for (const way of Object.values(ways))
      await test.expect.poll(() => way(db).then(() => 'done')).toBe('done');
  });

  it('ends every connection in its first packet fails only requests, not the service', async () => {
    const proxy = await startProxy(url);
    onTestFinished(proxy.close);
    const { app } = await createTestApp(proxy.url, { queryTimeoutMs: 1000, poolWaitMs: 1000 });
    onTestFinished(() => app.close());
    const paths = ['audio/latest', 'export/csv?from=now-1h&to=now', 'stats/summary', 'health/ready'];
    const statuses = () =>
      Promise.all(paths.map(async (path) => (await app.inject(`/api/v1/${path}`)).statusCode));
    expect(await statuses()).toEqual([200, 200, 200, 200]);
    proxy.tamper(breaks['ends the connection in the packet that opens it']);
    expect(await statuses()).toEqual([503, 503, 503, 503]);
    proxy.tamper(undefined);
    await expect.poll(statuses).toEqual([200, 200, 200, 200]);
  });
});
