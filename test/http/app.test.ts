import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { AppError } from '../../src/errors.ts';
import { ROW } from '../rows.ts';
import { send } from './raw.ts';
import { appOn, empty, failing, held, logged, serviceOn } from './service-on.ts';

const gone = failing(new AppError('SERVICE_UNAVAILABLE', 'The database cannot be reached'));
describe('an error of the database', () => {
  it.each([
    [new AppError('SERVICE_UNAVAILABLE', 'The database cannot be reached'), 503, 'Service Unavailable'],
    [new AppError('GATEWAY_TIMEOUT', 'The query took longer than allowed'), 504, 'Gateway Timeout'],
  ])('%s is answered alike on both transports', async (error, status, title) => {
    const app = await appOn(failing(error));
    const rest = await app.inject('/api/v1/audio/latest');
    expect(rest.statusCode).toBe(status);
    expect(rest.json()).toEqual({
      type: `/docs/errors#${error.code.toLowerCase().replaceAll('_', '-')}`,
      title,
      status,
      detail: error.message,
      code: error.code,
      request_id: rest.headers['x-request-id'],
    });
    const rpc = await app.inject('/trpc/audio.latest');
    expect(rpc.statusCode).toBe(status);
    expect(rpc.json().error).toMatchObject({
      message: error.message,
      data: { code: error.code, httpStatus: status, path: 'audio.latest' },
    });
    const retry = status === 503 ? '1' : undefined;
    expect([rest.headers['retry-after'], rpc.headers['retry-after']]).toEqual([retry, retry]);
  });

  it.each([
    new Error('secret at select * from audio_data'),
    new SyntaxError('secret at position 9 of select'),
    new z.ZodError([{ code: 'custom', path: ['secret'], message: 'select', input: 1 }]),
  ])('stays inside the process if it is unexpected: %s', async (error) => {
    const app = await appOn(failing(error));
    for (const path of [
      '/api/v1/audio/latest',
      '/api/v1/health/ready',
      '/api/v1/stats/summary',
      '/trpc/audio.latest',
    ]) {
      const { statusCode, headers, body } = await app.inject(path);
      expect([path, statusCode, headers['cache-control']]).toEqual([path, 500, 'no-store']);
      expect(body).toContain('Internal server error');
      expect(body).not.toMatch(/secret|select|node_modules|\.ts/);
    }
  });

  it('does not affect health.live', async () => {
    const app = await appOn(gone);
    expect((await app.inject('/api/v1/health/live')).json()).toEqual({ status: 'ok' });
    expect((await app.inject('/api/v1/health/ready')).statusCode).toBe(503);
  });
});

describe('a path', () => {
  const routes =
    'audio/latest audio/range stats/summary events/loud export/csv health/live openapi.json'.split(' ');

  it.each(
    '/api/v1/nope /api/v1/audio/latest/ /api/v1/audio/LATEST /api/v2 /api/v2/audio/latest /trpc /trpc/a/b /x'.split(
      ' ',
    ),
  )('%s that does not exist is 404 with every method', async (url) => {
    const app = await appOn(gone);
    for (const method of ['GET', 'HEAD', 'POST', 'DELETE', 'OPTIONS'] as const) {
      const { statusCode, headers, body } = await app.inject({ method, url });
      expect([method, statusCode, headers['content-type']]).toEqual([
        method,
        404,
        'application/problem+json',
      ]);
      if (method === 'GET')
        expect(JSON.parse(body)).toMatchObject({ status: 404, code: 'NOT_FOUND', title: 'Not Found' });
    }
  });

  it.each(['', '/stations/garden'])(
    'that was replaced names the path that replaces it, below "%s"',
    async (below) => {
      const app = await appOn(gone);
      const { statusCode, body } = await app.inject({ url: `${below}/api/v1/stats/worst?from=now-1h` });
      expect([statusCode, JSON.parse(body).detail]).toEqual([
        404,
        `There is nothing at this path; see ${below}/api/v1/stats/why`,
      ]);
    },
  );

  it.each(routes)('%s is 405 with Allow for other methods, whatever their bodies', async (route) => {
    const app = await appOn(gone);
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const) {
      const body =
        method === 'OPTIONS' ? {} : { payload: '<x>', headers: { 'content-type': 'application/xml' } };
      const response = await app.inject({ method, url: `/api/v1/${route}?limit=1`, ...body });
      expect([method, response.statusCode, response.headers.allow]).toEqual([method, 405, 'GET, HEAD']);
      expect(response.json()).toMatchObject({
        status: 405,
        code: 'METHOD_NOT_SUPPORTED',
        title: 'Method Not Allowed',
      });
    }
    expect((await app.inject({ method: 'POST', url: '/trpc/audio.latest', payload: {} })).statusCode).toBe(
      405,
    );
  });
});

describe('a request id', () => {
  it("is the caller's own id if that is safe to log", async () => {
    const app = await appOn(gone);
    const id = async (sent: string) =>
      (await app.inject({ url: '/api/v1/nope', headers: { 'x-request-id': sent } })).headers['x-request-id'];
    expect(await id('abc-1.2:3_4')).toBe('abc-1.2:3_4');
    for (const bad of ['', 'a b', 'x'.repeat(129), 'a"b']) expect(await id(bad)).toMatch(/^[\da-f-]{36}$/);
  });

  it('is in the answer on both transports, and differs between requests', async () => {
    const app = await appOn(empty);
    const ids = [];
    for (const url of ['/api/v1/audio/latest', '/api/v1/audio/latest', '/trpc/audio.latest'])
      ids.push((await app.inject(url)).headers['x-request-id']);
    expect(new Set(ids).size).toBe(3);
  });
});

describe('the log', () => {
  /** The lines of a healthy answer, a refusal and a failure, as [level, status, path]. */
  const linesAt = async (level: 'info' | 'debug') => {
    const { lines, logger } = logged(level);
    const app = await appOn(failing(new Error('no such thing')), { logger });
    for (const path of ['health/live', 'audio/latest?limit=0', 'audio/latest'])
      await app.inject(`/api/v1/${path}`);
    return lines.map(({ level, reqId, req, res, msg, err }) => {
      expect(reqId).toMatch(/^[\da-f-]{36}$/);
      return [level, res?.statusCode, req?.url, msg, err?.message];
    });
  };
  const refused = [30, 400, '/api/v1/audio/latest?limit=0', 'request completed', undefined];
  const failed = [
    [50, undefined, '/api/v1/audio/latest', 'Internal server error', 'no such thing'],
    [30, 500, '/api/v1/audio/latest', 'request completed', undefined],
  ];

  it('has one line for a request that was refused or failed, with the reason', async () => {
    expect(await linesAt('info')).toEqual([refused, ...failed]);
  });

  it('has no stack for a database that is away', async () => {
    const { lines, logger } = logged('info');
    const cause = new Error('connect ECONNREFUSED');
    const away = new AppError('SERVICE_UNAVAILABLE', 'The database cannot be reached', { cause });
    const app = await appOn(failing(away), { logger });
    for (const path of ['/api/v1/audio/latest', '/trpc/audio.latest']) await app.inject(path);
    const line = { level: 40, msg: away.message, reason: cause.message };
    expect(lines.filter(({ level }) => level === 40)).toMatchObject([line, line]);
    expect(JSON.stringify(lines)).not.toContain('stack');
  });

  it('names an export that breaks off', async () => {
    const { lines, logger } = logged('info');
    async function* copyOut() {
      yield ROW;
      throw new Error('the disk is gone');
    }
    const app = await appOn({ ...empty, copyOut }, { logger });
    const url = '/api/v1/export/csv?from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z';
    await expect(app.inject(url)).rejects.toThrow();
    expect(lines).toMatchObject([
      { level: 40, req: { url }, msg: 'the answer broke off', err: { message: 'the disk is gone' } },
    ]);
  });

  it('reports no fault when the key of a request in flight is removed', async () => {
    const { lines, logger } = logged('debug');
    const { db, waiting } = held();
    let owner: { name: string } | undefined = { name: 'alice' };
    const listeners: (() => void)[] = [];
    const keys = { ownerOf: () => owner, onChange: (listener: () => void) => void listeners.push(listener) };
    const url = await serviceOn(db, { logger, keys });
    const headers = { authorization: 'Bearer am_key' };
    const limit = encodeURIComponent('{"limit":2}');
    const sent = ['/api/v1/audio/latest', `/trpc/audio.latest?input=${limit}`].map((path) =>
      send(url + path, headers),
    );
    await expect.poll(() => waiting.length).toBe(2);
    owner = undefined;
    for (const listener of listeners) listener();
    expect((await Promise.allSettled(sent)).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    for (const statement of waiting) statement.fail(new Error('canceling statement'));
    const left = () => lines.filter(({ msg }) => msg === 'the caller left before the end');
    await expect.poll(left).toMatchObject(Array(2).fill({ level: 20, req: { key: 'alice' } }));
    expect(JSON.stringify(left())).not.toContain('stack');
    expect(JSON.stringify(lines)).not.toContain('Internal server error');
  });

  it('has one line for every request at debug', async () => {
    const answered = [20, 200, '/api/v1/health/live', 'request completed', undefined];
    expect(await linesAt('debug')).toEqual([answered, refused, ...failed]);
  });
});

describe('CORS', () => {
  const origin = 'https://dashboard.example.com';
  const answer = async (
    corsOrigins: string[] | undefined,
    from: string,
    method: 'GET' | 'OPTIONS' = 'GET',
  ) => {
    const app = await appOn(empty, corsOrigins ? { corsOrigins } : {});
    const headers = { origin: from, ...(method === 'OPTIONS' && { 'access-control-request-method': 'GET' }) };
    return app.inject({ method, url: '/api/v1/audio/latest', headers });
  };

  it('is off unless origins are configured', async () => {
    expect((await answer(undefined, origin)).headers['access-control-allow-origin']).toBeUndefined();
    expect((await answer(undefined, origin, 'OPTIONS')).statusCode).toBe(405);
  });

  it('lets pages of the configured origins read answers, and no others', async () => {
    const allowed = await answer([origin], origin);
    expect(allowed.headers['access-control-allow-origin']).toBe(origin);
    expect(allowed.headers['access-control-expose-headers']).toContain('x-request-id');
    expect(allowed.headers.vary).toContain('Origin');
    expect(
      (await answer([origin], 'https://evil.example.com')).headers['access-control-allow-origin'],
    ).toBeUndefined();
    expect((await answer(['*'], origin)).headers['access-control-allow-origin']).toBe('*');
    const preflight = await answer([origin], origin, 'OPTIONS');
    expect([preflight.statusCode, preflight.headers['access-control-allow-methods']]).toEqual([
      204,
      'GET, HEAD',
    ]);
  });

  it('covers errors too, so that a page can read why', async () => {
    const app = await appOn(gone, { corsOrigins: [origin] });
    for (const url of ['/api/v1/nope', '/api/v1/audio/latest', '/api/v1/audio/latest?limit=0']) {
      expect((await app.inject({ url, headers: { origin } })).headers['access-control-allow-origin']).toBe(
        origin,
      );
    }
  });
});
