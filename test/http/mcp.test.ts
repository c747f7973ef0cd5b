// The Model Context Protocol, driven by the official client over HTTP and over standard input and output.
import { globSync, readFileSync } from 'node:fs';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createKey, readKeys } from '../../src/http/edge/api-keys.ts';
import type { Watcher } from '../../src/http/request-accounting.ts';
import type { Call } from '../../src/operations/context.ts';
import { routes } from '../../src/operations/internals/routes.ts';
import { describeOnWire, openForAll } from '../engines.ts';
import { inherited } from '../program.ts';
import { startBeside } from '../service.ts';
import { makeStation } from '../stations.ts';

const [garden, everything] = [createKey('garden', 'garden'), createKey('all')];

const INTERVAL = { from: '2026-03-01T11:00:00Z', to: '2026-03-01T12:00:00+00:00' };

/** Twelve calls of tools, with arguments that name no more points than a tool gives. */
const CALLS: [tool: string, given: Record<string, string | number>][] = [
  ['audio_latest', { limit: 3 }],
  ['audio_range', { ...INTERVAL, limit: 1000 }],
  ['stats_summary', { ...INTERVAL }],
  ['stats_summary', { period: '24h', to: INTERVAL.to }],
  ['stats_series', { ...INTERVAL, max_points: 10 }],
  ['stats_distribution', { ...INTERVAL, step: 5 }],
  ['stats_days', { from: '2026-03-01', to: '2026-03-02', time_zone: 'Europe/Vienna' }],
  ['stats_limits', { ...INTERVAL, limits: '06-22=55,22-06=45' }],
  ['events_list', { threshold: -30, min_duration_seconds: 0 }],
  ['service_info', {}],
  ['events_list', { limit: 0 }],
  ['stats_summary', { period: '2h', levels: 'absolute' }],
];

type Transport = Parameters<Client['connect']>[0];

/** What clients of each era of the protocol negotiate. */
const ERAS = ['legacy', 'auto'] as const;

async function connected(transport: Transport, mode: (typeof ERAS)[number] = 'auto'): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return client;
}

const overHttp = (url: string, key: string, mode?: (typeof ERAS)[number]) =>
  connected(
    new StreamableHTTPClientTransport(new URL(`${url}/mcp`), {
      requestInit: { headers: { authorization: `Bearer ${key}` } },
    }),
    mode,
  );

const overStdio = (url: string, key: string) =>
  connected(
    new StdioClientTransport({
      command: process.execPath,
      args: ['src/main.ts', 'mcp', url],
      env: { ...inherited(), API_KEY: key },
    }),
  );

async function textOf(client: Client, name: string, given: Record<string, unknown>) {
  const { content, isError = false } = await client.callTool({ name, arguments: given });
  const [first] = content;
  if (first?.type !== 'text' || content.length !== 1) throw new Error(`${name} gave no text`);
  return { text: first.text, isError };
}

const namesOf = async (client: Client) => (await client.listTools()).tools.map(({ name }) => name);

describeOnWire('The tools of a service with keys', (engine) => {
  const database = openForAll(() => engine.open());
  const calls: (Call & { transport: string | undefined })[] = [];
  const watcher: Watcher = (app) => {
    app.addHook('onRequest', async (request) => {
      request.calls = [];
    });
    app.addHook('onResponse', async (request) => {
      const { transport } = request.routeOptions.config;
      calls.push(...(request.calls ?? []).map((call) => ({ ...call, transport })));
    });
  };
  const keys = readKeys(`${garden.line}\n${everything.line}`);
  const service = openForAll(() => startBeside(database, { keys, watchers: [watcher] }));
  const rest = async (path: string, key: string) => {
    const answer = await fetch(`${service.url}${path}`, { headers: { authorization: `Bearer ${key}` } });
    return { text: await answer.text(), isError: !answer.ok };
  };
  const stationUrl = () => `${service.url}/stations/garden`;
  beforeAll(async () => {
    await makeStation(database, 'garden');
    await database.sql(`insert into garden.audio_data (time, rms_db, frequency_hz)
      select time, -20 - 10 * sin(extract(minute from time)), 440
      from generate_series('2026-03-01T11:00:00Z'::timestamptz, '2026-03-01T11:59:59Z', '1 s') as time`);
  });
  /** Each problem has its own id. */
  const withoutId = (text: string) => text.replace(/"request_id":"[^"]*"/, '"request_id":""');

  it.each(ERAS)('over HTTP, twelve calls equal REST for a client of the %s era', async (mode) => {
    const client = await overHttp(stationUrl(), garden.key, mode);
    for (const [tool, given] of CALLS) {
      const path = routes.get(tool.replace('_', '.'))?.path;
      const query = new URLSearchParams(
        Object.entries(given).map(([name, value]): [string, string] => [name, `${value}`]),
      );
      const expected = await rest(`/stations/garden/api/v1${path}?${query}`, garden.key);
      const { text, isError } = await textOf(client, tool, given);
      expect({ tool, text: withoutId(text), isError }).toEqual({
        tool,
        text: withoutId(expected.text),
        isError: expected.isError,
      });
    }
  });

  it('over standard input and output, twelve calls equal those over HTTP', async () => {
    const [stdio, http] = [
      await overStdio(stationUrl(), garden.key),
      await overHttp(stationUrl(), garden.key),
    ];
    expect((await stdio.listTools()).tools).toEqual((await http.listTools()).tools);
    for (const [tool, given] of CALLS) {
      const [one, other] = [await textOf(stdio, tool, given), await textOf(http, tool, given)];
      expect([tool, withoutId(one.text), one.isError]).toEqual([tool, withoutId(other.text), other.isError]);
    }
  });

  it('are read-only, need less than 20 kB, and leave out probes, exports and streams', async () => {
    const { tools } = await (await overHttp(service.url, everything.key)).listTools();
    expect(tools.map(({ name }) => name)).toEqual(
      Array.from(routes.keys())
        .filter((name) => !/^(health|export)\.|\.live$/.test(name))
        .map((name) => name.replace('.', '_')),
    );
    expect(tools.every(({ annotations }) => annotations?.readOnlyHint)).toBe(true);
    expect(JSON.stringify({ tools }).length).toBeLessThan(20_000);
  });

  it('give at most 1,000 points, and name the cursor that continues', async () => {
    const client = await overHttp(stationUrl(), garden.key);
    const first = JSON.parse((await textOf(client, 'audio_range', INTERVAL)).text);
    expect([first.points.length, typeof first.next_cursor]).toEqual([1000, 'string']);
    const second = await textOf(client, 'audio_range', { ...INTERVAL, cursor: first.next_cursor });
    expect(JSON.parse(second.text).points[0].time).toBe('2026-03-01T11:16:40.000000Z');
    for (const limit of [1001, 0, 1.5, '2', null, [2]]) {
      const refused = await textOf(client, 'audio_range', { ...INTERVAL, limit });
      expect([refused.isError, JSON.parse(refused.text)]).toMatchObject([
        true,
        {
          status: 400,
          errors: [{ parameter: 'limit', detail: 'must be a whole number from 1 to 1000' }],
        },
      ]);
    }
  });

  it('open only the stations of a key', async () => {
    expect(await namesOf(await overHttp(service.url, garden.key))).toEqual(['stations_list']);
    expect(await namesOf(await overHttp(stationUrl(), garden.key))).toContain('stats_summary');
    await makeStation(database, 'street');
    await expect(overHttp(`${service.url}/stations/street`, garden.key)).rejects.toThrow('404');
    await expect(overHttp(service.url, 'none')).rejects.toThrow();
  });

  it('refuse a tool that the key does not open, although the client names it', async () => {
    const client = await overHttp(service.url, garden.key);
    await expect(client.callTool({ name: 'audio_latest', arguments: {} })).rejects.toThrow('audio_latest');
  });

  it('count as calls of their operations', async () => {
    calls.length = 0;
    const client = await overHttp(stationUrl(), garden.key);
    await textOf(client, 'audio_latest', { limit: 2 });
    expect(calls).toEqual([
      expect.objectContaining({ operation: 'audio.latest', transport: 'mcp', points: 2, status: 200 }),
    ]);
  });
});

describeOnWire('POST /mcp', (engine) => {
  const database = openForAll(() => engine.open());
  const service = openForAll(() =>
    startBeside(database, {
      hosts: ['a.example'],
      corsOrigins: ['https://b.example'],
    }),
  );
  const message = (method: string, params: object = {}) =>
    JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const post = (body: string, headers: Record<string, string> = {}, method = 'POST', { url } = service) =>
    fetch(`${url}/mcp`, {
      method,
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
      },
      ...(method === 'POST' && { body }),
    });

  it.each(['GET', 'DELETE', 'PUT'])('is the only method: %s is 405', async (method) => {
    const { status, headers } = await post('', {}, method);
    expect([status, headers.get('allow')]).toEqual([405, 'POST']);
  });

  it.each([
    ['https://evil.example', 403],
    ['https://b.example', 200],
    ['http://b.example:8080', 403],
    ['the service', 200],
    ['http://127.0.0.1:1', 403],
    ['null', 403],
  ])('from a page of %s is %i', async (page, status) => {
    const origin = page === 'the service' ? new URL(service.url).origin : page;
    expect((await post(message('tools/list'), { origin })).status).toBe(status);
  });

  it('refuses a batch of messages, which would count as one call', async () => {
    const answer = await post(`[${message('tools/list')},${message('tools/list')}]`);
    expect([answer.status, await answer.json()]).toMatchObject([
      400,
      { code: 'BAD_REQUEST', detail: 'Send one message per request' },
    ]);
  });

  it('refuses a message of more than 64 KiB', async () => {
    const answer = await post(message('ping', { text: 'a'.repeat(65_536) }));
    expect([answer.status, await answer.json()]).toMatchObject([
      413,
      {
        type: '/docs/errors#payload-too-large',
        code: 'PAYLOAD_TOO_LARGE',
        detail: 'The body may have at most 65536 bytes',
      },
    ]);
  });

  it.each([
    ['', 'The body is empty'],
    ['{', 'The body is not JSON'],
  ])('refuses the body %j with the reason', async (body, detail) => {
    const answer = await post(body);
    expect([answer.status, await answer.json()]).toMatchObject([400, { code: 'BAD_REQUEST', detail }]);
  });

  it('refuses a simple request of a foreign page', async () => {
    const answer = await post(message('tools/list'), { 'content-type': 'text/plain' });
    expect([answer.status, await answer.text()]).toEqual([415, expect.not.stringContaining('"version"')]);
  });

  it('counts for the rate limit', async () => {
    const limited = await startBeside(database, { limits: { ratePerMinute: 1 } });
    onTestFinished(() => limited.close());
    for (const expected of [200, 429]) {
      const { status } = await post(message('tools/list'), {}, 'POST', limited);
      expect(status).toBe(expected);
    }
  });
});

describe('A service without a request to /mcp', () => {
  it('loads nothing of the protocol', () => {
    const files = globSync('src/**/*.ts').map((path) => [path, readFileSync(path, 'utf8')] as const);
    const withStatic = (pattern: RegExp) =>
      files.flatMap(([path, text]) => (pattern.test(text) ? [path] : []));
    const loaders = withStatic(/^import (?!type )[^;]* from '@modelcontextprotocol/m).toSorted();
    expect(loaders).toEqual(['src/http/mcp/answer-message.ts', 'src/http/mcp/tool-server.ts']);
    const importers = withStatic(/^import (?!type )[^;]* from '[^']*(answer-message|tool-server)\.ts'/m);
    expect(importers).toEqual(['src/http/mcp/answer-message.ts']);
  });
});
