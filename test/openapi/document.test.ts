// The OpenAPI document describes everything that exists, and nothing else, with words and bounds that help a reader.
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { type Route, routes } from '../../src/operations/internals/routes.ts';
import { startSmallService } from '../client/embedded-service.ts';
import { openForAll } from '../engines.ts';
import { send } from '../http/raw.ts';
import { startBeside } from '../service.ts';
import { type Document, fetchDocument, judge, operationAt } from './document.ts';

/** All operations by path. operations.md, which reference.test.ts compares, lists their parameters and bounds. */
const ROUTES = Array.from(routes.values(), (route) => [route.path, route] as const);
const ALL = ROUTES.map(([path]) => path).toSorted();

/** Parameters without an example, because readers use all examples together. */
const INSTEAD = ['cursor', 'max_points', 'above_background', 'event_above_background', 'last_event_id'];

const FORMATS = ['string undefined', 'integer int32', 'number double'];

const CSV = 'text/csv; charset=utf-8; header=present';

/** The media types of a success, from the procedure: its events, its table, its own types, or else JSON. */
function typesOf({ isStream, rows, types }: Route): readonly string[] {
  if (isStream) return ['text/event-stream'];
  if (rows !== undefined) return ['application/json', CSV];
  return types.map((type) => type.replace(/^(application\/json);.*/, '$1'));
}

/** Probes have only their own errors, because they take no parameters and have no queue. */
const errorsOf = ({ isProbe = false, errors = [400, 500, 503, 504] }: Route) =>
  (isProbe ? errors : [...errors, 406, 421, 429]).toSorted().map(String);

describe('the OpenAPI document', () => {
  const service = openForAll(() => startSmallService());
  let document: Document;
  beforeAll(async () => {
    document = await fetchDocument(service.url);
  });

  it('is OpenAPI 3.1 in JSON, with the version and the licence of the service', async () => {
    const { headers } = await service.get('/openapi.json');
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    const { openapi, info, servers, tags } = document;
    expect(openapi).toMatch(/^3\.1\.\d+$/);
    expect(info).toMatchObject({
      title: 'Audio Metrics',
      version: 'test',
      license: { name: 'MIT', identifier: 'MIT' },
    });
    expect(servers).toMatchObject([
      { url: '../v1' },
      { url: '../../stations/{station}/api/v1', variables: { station: { default: 'default' } } },
    ]);
    const groups = new Set(ROUTES.map(([, { group }]) => group));
    expect(tags).toEqual(
      Array.from(groups, (name) => ({ name, description: expect.stringMatching(/^[A-Z]/) })),
    );
  });

  it('describes every operation, each a GET, in its own words', () => {
    expect(Object.keys(document.paths).toSorted()).toEqual(ALL);
    const operations = ALL.map((path) => operationAt(document, path));
    expect(Object.values(document.paths).flatMap((item) => Object.keys(item))).toEqual(ALL.map(() => 'get'));
    for (const key of ['operationId', 'summary', 'description'] as const)
      expect(new Set(operations.map((operation) => operation[key])).size).toBe(ALL.length);
    const tags = new Set(document.tags.map(({ name }) => name));
    expect(new Set(operations.flatMap((operation) => operation.tags))).toEqual(tags);
  });

  it('has absolute servers on request, for the scheme of a trusted proxy', async () => {
    const host = new URL(service.url).host;
    const forwarded = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'evil.example' };
    const trusting = await startBeside(service, { trustProxy: ['127.0.0.1', '::1'] });
    onTestFinished(() => trusting.close());
    for (const [url, below] of [
      [`http://${host}`, ''],
      [`http://${host}`, '/stations/default'],
      [`https://${new URL(trusting.url).host}`, ''],
    ] as const) {
      const { headers, body } = await send(
        `${url.replace('https', 'http')}${below}/api/v1/openapi.json?absolute`,
        forwarded,
      );
      const { servers, ...others } = JSON.parse(`${body}`);
      expect([headers['cache-control'], servers.map((each: { url: string }) => each.url)]).toEqual([
        'private, no-store',
        [`${url}${below}/api/v1`, `${url}/stations/{station}/api/v1`],
      ]);
      expect(Object.keys(others.paths)).toEqual(Object.keys(document.paths));
    }
    const { status } = await send(`http://${host}/api/v1/openapi.json?absolute`, { host: 'evil.example' });
    expect(status).toBe(421);
  });

  it('describes everything under /api/v1 except itself', () => {
    const routes = service.app.printRoutes({ commonPrefix: false });
    const trees = routes.match(/\/v1 \(GET, HEAD\)\n(?:.*\n)*?.*└── \/openapi\.json.*/g) ?? [];
    const mounted = trees.flatMap(
      (tree) => tree.replace(/(\/stations) .*\n.*(?=\/live)/, '$&$1').match(/(?<=── ).*$/gm) ?? [],
    );
    const described = [...ALL, '/openapi.json'].map((path) => `${path} (GET, HEAD)`);
    expect(mounted.toSorted()).toEqual([...described, ...described].toSorted()); // below /stations/:station too
  });

  it.each(ROUTES)('has exactly the parameters of the input of %s', (path, { input }) => {
    const { properties = {}, required = [] } = z.toJSONSchema(input, { io: 'input' });
    const parameters = operationAt(document, path).parameters ?? [];
    expect(parameters.map(({ name, required: isRequired = false }) => [name, isRequired])).toEqual(
      Object.keys(properties).map((name) => [
        name === 'lastEventId' ? 'last_event_id' : name,
        required.includes(name),
      ]),
    );
  });

  it.each(ALL)('describes each parameter of %s, with its format and an example', (path) => {
    for (const parameter of operationAt(document, path).parameters ?? []) {
      const { name, in: location, description, example, schema } = parameter;
      expect(location).toBe('query');
      expect(description, name).toMatch(/^[A-Z].{10,}/);
      for (const { type, format } of schema.anyOf ?? [schema])
        expect(FORMATS, name).toContain(`${type} ${format}`);
      if (!INSTEAD.includes(name) && `${path} ${name}` !== '/stats/summary from')
        expect(example, name).toBeDefined();
    }
  });

  it('shows relative times as code, because a reader could take `<n>` for an HTML tag', () => {
    const texts = JSON.stringify(document).match(/.now-<n>/g);
    expect(new Set(texts)).toEqual(new Set(['`now-<n>']));
  });

  it.each(ROUTES)('declares every error of %s as a problem, and no other', (path, route) => {
    const { 200: success, 304: _, ...errors } = operationAt(document, path).responses;
    expect(Object.keys(success?.content ?? {})).toEqual(typesOf(route));
    expect(Object.keys(errors)).toEqual(errorsOf(route));
    for (const [status, { description, content }] of Object.entries(errors)) {
      expect(description).not.toBe('');
      const schema = { $ref: '#/components/schemas/Problem' };
      expect(content).toEqual({ 'application/problem+json': { schema, example: expect.anything() } });
      const { example } = content['application/problem+json'] ?? {};
      expect(judge(document, schema, example)).toEqual([]);
      expect(example).toMatchObject({
        type: expect.stringMatching(/^\/docs\/errors#[a-z-]+$/),
        status: Number(status),
      });
    }
    const always = ['x-request-id', 'cache-control', 'link'];
    for (const answer of [...Object.values(errors), success])
      expect(Object.keys(answer?.headers ?? {})).toEqual(expect.arrayContaining(always));
    if ('503' in errors) expect(errors['503']?.headers).toHaveProperty('retry-after');
    const { headers = {} } = errors['429'] ?? success ?? {};
    expect('ratelimit-reset' in headers).toBe('429' in errors);
  });

  it.each(ALL)('has an example answer of %s that matches its schema', (path) => {
    for (const content of Object.values(operationAt(document, path).responses[200]?.content ?? {})) {
      if (content.schema.format === 'binary') continue; // bytes, for which JSON has no example
      expect(content.example).toBeDefined();
      expect(judge(document, content.schema, content.example)).toEqual([]);
      const { $ref = '' }: { $ref?: string } = content.schema;
      const schema = document.components.schemas[$ref.split('/').at(-1) ?? ''];
      const { properties = {} } = schema ?? {};
      const isThere = (name: string) => schema?.required?.includes(name) ?? true;
      if ($ref) expect(Object.keys(content.example ?? {})).toEqual(Object.keys(properties).filter(isThere));
    }
  });

  it('allows additional fields in answers, and bounds no unbounded number', () => {
    const text = JSON.stringify(document.components);
    expect(text).not.toContain('additionalProperties');
    expect(text).not.toContain(String(Number.MAX_SAFE_INTEGER));
    expect(text).not.toContain('anyOf');
  });

  it('has an example of each kind of webhook message that matches its schema', () => {
    const { parameters, requestBody } = document.webhooks.message.post;
    expect(parameters.map(({ in: location, name }) => [location, name])).toEqual([['header', 'x-signature']]);
    const { schema = {}, examples = {} } = requestBody.content['application/json'] ?? {};
    expect(Object.keys(examples)).toEqual(['start', 'end', 'silent', 'back', 'night']);
    for (const [kind, { value }] of Object.entries(examples)) {
      expect(judge(document, schema, value)).toEqual([]);
      expect(value).toMatchObject({ kind });
      expect(judge(document, schema, { ...value, kind: 'other' })).not.toEqual([]);
    }
  });

  it('declares an export as it is sent: as an attachment', async () => {
    const { 200: described } = operationAt(document, '/export/csv').responses;
    const { headers } = await service.get('/export/csv?from=now-1h&to=now');
    expect(headers.get('content-type')).toBe(CSV);
    const lines = [`${CSV}; delimiter=semicolon`, 'application/x-ndjson'];
    expect(Object.keys(described?.content ?? {})).toEqual([CSV, ...lines, 'application/vnd.apache.parquet']);
    const names = Object.keys(described?.headers ?? {});
    expect(names).toContain('content-disposition');
    // this service has no rate limit and no history
    const unsent = names.filter((name) => !headers.has(name) && !name.startsWith('ratelimit-'));
    expect(unsent).toEqual(['history-until']);
  });

  it('has examples that the service accepts, all together', async () => {
    for (const path of ALL) {
      const examples = (operationAt(document, path).parameters ?? [])
        .filter(({ example }) => example !== undefined)
        .map(({ name, example }): [string, string] => [name, `${example}`]);
      const { status, body } = await fetch(`${service.url}/api/v1${path}?${new URLSearchParams(examples)}`);
      await body?.cancel(); // a stream would not end
      expect([path, status]).toEqual([path, 200]);
    }
  });

  it('describes every property of every answer', () => {
    const silent = Object.entries(document.components.schemas).flatMap(([name, { properties = {} }]) =>
      Object.entries(properties)
        .filter(([, property]) => !(property.description || property.$ref || 'const' in property))
        .map(([property]) => `${name}.${property}`),
    );
    expect(silent).toEqual([]);
  });
});
