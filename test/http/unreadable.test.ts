// Input that Node.js cannot parse as a request also gets a problem response, and a line in the log.
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startSmallService } from '../client/embedded-service.ts';
import type { TestService } from '../service.ts';
import { logged } from './service-on.ts';

const DAY = 'from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z';

let service: TestService;
const { lines, logger } = logged('info');
beforeAll(async () => {
  service = await startSmallService({ logger });
});
beforeEach(() => {
  lines.length = 0;
});
afterAll(() => service?.close());

const requests = () => lines.filter(({ msg }) => !/listening/.test(msg));

/** Sends these bytes. @returns everything that the service sends until it closes the connection */
async function exchange(...sent: string[]): Promise<string> {
  const { hostname, port } = new URL(service.url);
  const socket = connect(Number(port), hostname);
  let answer = '';
  socket.on('data', (text) => {
    answer += text;
  });
  await once(socket, 'connect');
  for (const text of sent) socket.write(text);
  await once(socket, 'close');
  return answer;
}

function parsed(answer: string) {
  const [head = '', body = ''] = answer.split('\r\n\r\n');
  const [status = '', ...rest] = head.split('\r\n');
  const headers = new Headers(
    rest.map((line): [string, string] => [line.replace(/:.*/, ''), line.replace(/^[^:]*: /, '')]),
  );
  return {
    status: Number(status.split(' ')[1]),
    headers,
    body: body.startsWith('{') ? JSON.parse(body) : body,
  };
}

describe('A request that Node itself would refuse', () => {
  const HOST = 'Host: localhost\r\nConnection: close';
  it.each([
    [
      417,
      'an expectation that is not known',
      `GET /api/v1/audio/latest HTTP/1.1\r\n${HOST}\r\nExpect: 200-ok\r\n\r\n`,
    ],
    [
      431,
      'a header that is too large',
      `GET /api/v1/audio/latest HTTP/1.1\r\n${HOST}\r\nX-Long: ${'a'.repeat(20_000)}\r\n\r\n`,
    ],
    [400, 'HTTP/1.1 without a Host', 'GET /api/v1/audio/latest HTTP/1.1\r\nConnection: close\r\n\r\n'],
    [400, 'a target with a space', `GET /api/v1/audio latest HTTP/1.1\r\n${HOST}\r\n\r\n`],
    [400, 'no HTTP', 'hello\r\n\r\n'],
    [400, 'a path that cannot be decoded', `GET /api/v1/%zz HTTP/1.1\r\n${HOST}\r\n\r\n`],
    [400, 'an absolute form with a fragment', `GET http://evil.example# HTTP/1.1\r\n${HOST}\r\n\r\n`],
  ])(
    'is answered with a problem with status %i, and with an id that is in the log: %s',
    async (status, _, sent) => {
      const { headers, body, status: answered } = parsed(await exchange(sent));
      expect([answered, headers.get('content-type')]).toEqual([status, 'application/problem+json']);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('cache-control')).toBe('no-store');
      expect(body).toEqual({
        type: '/docs/errors#bad-request',
        title: expect.stringMatching(/^[A-Z]/),
        status,
        detail: expect.stringMatching(/^[A-Z]/),
        code: 'BAD_REQUEST',
        request_id: headers.get('x-request-id'),
      });
      await expect.poll(requests).toHaveLength(1);
      expect(requests()[0]).toMatchObject({ level: 30, reqId: body.request_id, res: { statusCode: status } });
    },
  );

  it("is answered in tRPC's envelope if possible", async () => {
    const { status, body } = parsed(
      await exchange('GET /trpc/health.live HTTP/1.1\r\nConnection: close\r\n\r\n'),
    );
    expect([status, body.error.message]).toEqual([400, 'The Host header is missing']);
  });

  it('may lack a Host in HTTP/1.0', async () => {
    for (const path of ['/api/v1/health/live', '/', '/docs/'])
      expect(parsed(await exchange(`GET ${path} HTTP/1.0\r\n\r\n`)).status).toBe(200);
  });

  it('is answered after earlier requests, each of which gets its own answer', async () => {
    const requestOf = (path: string, id: string) =>
      `GET ${path} HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: ${id}\r\n\r\n`;
    const csv = requestOf(`/api/v1/export/csv?${DAY}`, 'csv');
    const junk = '\x00junk\r\n\r\n';
    const live = requestOf('/api/v1/health/live', 'live');
    const unknown = 'GET /api/v1/health/live HTTP/1.1\r\nHost: localhost\r\nExpect: 200-ok\r\n\r\n';
    for (const [sent, expected] of [
      [[`${live}${junk}`], ['200 live', '400']],
      [[`${live}${csv}${junk}${live}`], ['200 live', '200 csv', '400']],
      [
        [csv, junk],
        ['200 csv', '400'],
      ],
      [[`${live}${unknown}${junk}`], ['200 live', '417']], // the 417 closes the connection
      [
        [live, `${live}GET / HTTP/1.1\r\nX-Long: ${'a'.repeat(20_000)}\r\n`],
        ['200 live', '200 live', '431'],
      ],
    ] as const) {
      const answers = (await exchange(...sent)).split(/(?=HTTP\/1\.1 )/);
      const reported = answers.map((answer) => {
        const [, status, id = ''] = /^HTTP\/1\.1 (\d+)[\s\S]*?x-request-id: (live|csv|)/i.exec(answer) ?? [];
        return `${status} ${id}`.trim();
      });
      expect(reported).toEqual(expected);
      for (const answer of answers.filter((text) => text.includes('text/csv')))
        expect(answer).toMatch(/\n0\r\n\r\n$/); // complete
    }
  });

  it('gets only one answer if just its body cannot be read', async () => {
    const head =
      'POST /api/v1/audio/latest HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n';
    const answers = await exchange(`${head}not a chunk\r\n`);
    expect(answers.match(/^HTTP\/1\.1 \d+/gm)).toEqual(['HTTP/1.1 405']);
  });
});

describe('A target in absolute form', () => {
  const send = (target: string, method = 'GET') =>
    exchange(`${method} ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`).then(parsed);

  it.each(['http://evil.localhost', 'HTTPS://me:secret@evil.localhost:1'])(
    'is answered by its path alone: %s',
    async (origin) => {
      const { status, headers } = await send(`${origin}/api/v1/audio/range?${DAY}&limit=1`);
      expect(status).toBe(200);
      expect(headers.get('link')).toMatch(/^<range\?from=[^>]*&cursor=[^>]*>; rel="next", /);
      expect(headers.get('link')).not.toContain('evil');
      for (const root of [origin, `${origin}?a=1`])
        expect((await send(root)).headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect((await send(`${origin}/api/v1/audio/latest`, 'POST')).status).toBe(405);
      expect((await send(`${origin}/nope`, 'POST')).status).toBe(404);
      expect((await send(`${origin}/trpc/health.live`)).status).toBe(200);
      expect(JSON.stringify(lines)).not.toMatch(/secret|evil/);
    },
  );

  it('is 404 with another scheme', async () => {
    expect((await send('ftp://me:secret@evil.example/api/v1/health/live')).status).toBe(404);
    expect(JSON.stringify(lines)).not.toContain('secret');
  });
});

describe('An address in the log', () => {
  const urlOf = async (path: string) => {
    lines.length = 0;
    await service.get(path);
    return requests()[0].req.url;
  };

  it('is cut at 1 KB', async () => {
    const url = await urlOf(`/audio/range?from=${'x'.repeat(5000)}`);
    expect(url).toBe(`${`/api/v1/audio/range?from=${'x'.repeat(5000)}`.slice(0, 1024)}...`);
  });

  it('holds no secret of a caller', async () => {
    expect(
      await urlOf('/audio/latest?limit=0&api_key=am_x&access_token=s3cret&a=1&Password=p&X-Amz-Signature'),
    ).toBe('/api/v1/audio/latest?limit=0&api_key=***&access_token=***&a=1&Password=***&X-Amz-Signature');
  });
});
