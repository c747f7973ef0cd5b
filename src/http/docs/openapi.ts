// The OpenAPI document: generated from the router, then completed with details that the generator lacks.
import { join } from 'node:path/posix';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { generateOpenApiDocument } from 'trpc-to-openapi';
import { z } from 'zod';
import { createSchema } from 'zod-openapi';
import { FILES, isFileType, JSON_TYPE } from '../../contract/media-types.ts';
import { Message } from '../../contract/messages.ts';
import { Problem } from '../../contract/problem.ts';
import { DEFAULT_STATION } from '../../contract/station.ts';
import { type Route, routes } from '../../operations/internals/routes.ts';
import { appRouter, GROUPS } from '../../operations/router.ts';
import { type CacheControl, REVALIDATED_BY_ANYONE } from '../cache-control.ts';
import { columnsOf, send, tableText } from '../send.ts';
import { DOCUMENT, type Query, type Service } from '../service.ts';
import { HEADERS, header, RESPONSES, responsesOf, successHeaders } from './openapi-problems.ts';
import { WEBHOOKS } from './openapi-webhooks.ts';

export type Document = ReturnType<typeof generateOpenApiDocument>;
type Entry = NonNullable<NonNullable<Document['paths']>[string]['get']>;
type Schemas = NonNullable<NonNullable<Document['components']>['schemas']>;
type Schema = Exclude<Schemas[string], { $ref: string }>;

const DESCRIPTION = `
Levels, frequencies and statistics from a microphone's measurements.

- **Times** in requests are RFC 3339 with a zone, \`now\`, or \`now-<n><s|m|h|d>\`. Times in answers are UTC with six fractional digits.
- **Intervals** are half-open: they include \`from\` and exclude \`to\`.
- **Dates**, such as \`2026-10-01\`, in \`from\` and \`to\` need \`time_zone\`, and mean their first instant there.
- **Pages**: while \`next_cursor\` is not null, there is a next page. The \`Link\` header has its address.
- **Errors** are problem details (RFC 9457) and name every bad parameter.
- **Manual**: see \`/manual\` of the service.
`.trim();

/** Serves the document, which depends on the configuration. The page that shows it is a static file. */
export function mountDocument(
  app: FastifyInstance,
  { cacheControl }: Service,
  version: string,
  areKeysNeeded: boolean,
): void {
  const toRoot = app.prefix === '' ? '../..' : '../../../..';
  const document = openApiDocument(version, cacheControl, areKeysNeeded, toRoot);
  const text = Buffer.from(JSON.stringify(document));
  app.get<{ Querystring: Query }>(DOCUMENT, { config: { transport: 'docs' } }, (request, reply) => {
    const servers = 'absolute' in request.query && absoluteServers(document, request);
    if (!servers)
      return send(request, reply, { type: JSON_TYPE, cacheControl: REVALIDATED_BY_ANYONE, body: text });
    const body = JSON.stringify({ ...document, servers });
    return send(request, reply, { type: JSON_TYPE, cacheControl: 'private, no-store', body });
  });
}

/** For tools that take a relative address as it is. The edge has accepted the host, and trusts the scheme of its proxy. */
function absoluteServers({ servers = [] }: Document, { protocol, headers: { host }, url }: FastifyRequest) {
  const [path = ''] = url.split('?', 1);
  return (
    host && servers.map((each) => ({ ...each, url: `${protocol}://${host}${join(path, '..', each.url)}` }))
  );
}

/** Relative to the document (OpenAPI 3.1, 4.8.5), and without a slash at the end. */
const HERE = '../v1';

const OTHER_STATION = {
  url: '/stations/{station}/api/v1',
  description: 'Another station: one microphone of several',
  variables: {
    station: { default: DEFAULT_STATION, description: 'The name of the station, from /stations' },
  },
};

/** Describes everything under `/api/v1`, and nothing else. @param toRoot leads from the document to the service's root */
export function openApiDocument(
  version: string,
  cacheControl: CacheControl,
  areKeysNeeded: boolean,
  toRoot = '../..',
): Document {
  const streams = [...routes.values()].filter(({ isStream }) => isStream);
  const document = generateOpenApiDocument(appRouter, {
    title: 'Audio Metrics',
    description: DESCRIPTION,
    version,
    baseUrl: HERE,
    securitySchemes: areKeysNeeded ? { [KEY]: SCHEME } : {},
    filter: ({ metadata: { openapi } }) => streams.every(({ path }) => path !== openapi.path),
    paths: Object.fromEntries(streams.map(streamEntry)),
  });
  document.webhooks = WEBHOOKS;
  document.info.license = { name: 'MIT', identifier: 'MIT' };
  document.info.contact = { name: 'The operator of the service' };
  document.tags = Object.entries(GROUPS).map(([name, description]) => ({ name, description }));
  document.security = [];
  document.servers?.push({ ...OTHER_STATION, url: `${toRoot}${OTHER_STATION.url}` });
  const schemas = namedSchemas();
  for (const route of routes.values()) {
    const entry = document.paths?.[route.path]?.get;
    if (!entry) throw new Error(`${route.path} has no GET operation`);
    finish(entry, route, schemas, cacheControl.isTagged(route.cache));
    if (route.isProbe) continue;
    if (areKeysNeeded) entry.security = [{ [KEY]: [] }];
    entry.responses = { ...entry.responses, ...responsesOf([areKeysNeeded ? 401 : 421, 406, 429]) };
  }
  const { [areKeysNeeded ? 421 : 401]: _, ...responses } = RESPONSES;
  const { 'www-authenticate': ofKeys, ...headers } = HEADERS;
  document.components = {
    ...document.components,
    schemas,
    headers: areKeysNeeded ? { ...headers, 'www-authenticate': ofKeys } : headers,
    responses,
  };
  // examples are now beside the schema
  for (const schema of Object.values(schemas)) if (!('$ref' in schema)) delete schema.examples;
  plainly(schemas);
  plainly(WEBHOOKS);
  document.paths = Object.fromEntries(
    Array.from(routes.values(), ({ path }) => [path, document.paths?.[path] ?? {}]),
  );
  return document;
}

/** Writes the entry of a subscription, because the generator refuses subscriptions. */
function streamEntry({ path, name, group, summary, description, stream, output }: Route) {
  const content = { 'application/json': { schema: output } };
  const entry = {
    operationId: name.replace('.', '-'),
    summary,
    description,
    tags: [group],
    ...(stream && { requestParams: { query: stream.query } }),
    responses: { 200: { description: summary, content } },
  };
  return [path, { get: entry }] as const;
}

function namedSchemas(): Schemas {
  const outputs = Array.from(routes.values(), ({ output }) => output);
  return createSchema(z.object({ ...outputs, Problem, Message })).components;
}

/**
 * Rewrites a schema for client generators: a nullable value has two types, and a number has a format. Removes what the
 * service does not promise: that no field will be added, and that a whole number fits a double.
 */
function plainly(schema: object): void {
  for (const [name, value] of Object.entries(schema)) {
    const isRemoved =
      (name === 'additionalProperties' && value === false) ||
      (name === 'minimum' && value === Number.MIN_SAFE_INTEGER) ||
      (name === 'maximum' && value === Number.MAX_SAFE_INTEGER);
    if (isRemoved) Reflect.deleteProperty(schema, name);
    else if (typeof value === 'object' && value !== null) plainly(value);
  }
  const { anyOf = [], type, maximum }: Schema = { ...schema };
  const [value, none, ...others] = anyOf;
  if (value && 'type' in value && none && 'type' in none && none.type === 'null' && others.length === 0) {
    Reflect.deleteProperty(schema, 'anyOf');
    Object.assign(schema, value, { type: [value.type, 'null'] });
    if (value.enum) Object.assign(schema, { enum: [...value.enum, null] });
  } else if (type === 'number') Object.assign(schema, { format: 'double' });
  else if (type === 'integer')
    Object.assign(schema, { format: (maximum ?? Infinity) < 2 ** 31 ? 'int32' : 'int64' });
}

const ERRORS = [400, 500, 503, 504];

/** Markdown would read this part of a description as a tag. */
const RELATIVE = 'now-<n><s|m|h|d>';

function finish(entry: Entry, route: Route, schemas: Schemas, isTagged: boolean): void {
  for (const parameter of entry.parameters ?? []) {
    if ('$ref' in parameter || !parameter.schema || '$ref' in parameter.schema) continue;
    const { description, examples, ...schema } = parameter.schema;
    plainly(schema);
    Object.assign(parameter, { description: description?.replace(RELATIVE, '`$&`'), schema });
    if (examples) Object.assign(parameter, { example: examples[0] });
  }
  const { 200: success } = entry.responses ?? {};
  success.description = entry.summary;
  const { schema } = success.content['application/json'];
  const named: Schema = schemas[schema.$ref?.split('/').at(-1) ?? ''] ?? schema;
  const [example] = named.examples ?? [];
  success.content = Object.fromEntries(
    route.types.map((type) => [
      type === JSON_TYPE ? 'application/json' : type,
      fileContent(type, route, example) ?? { schema, example },
    ]),
  );
  const { isProbe = false, errors = ERRORS } = route;
  success.headers = { ...successHeaders(isProbe, isTagged), ...headersOf(named, route) };
  entry.responses = { 200: success, ...responsesOf(isTagged ? [304, ...errors] : errors) };
}

/** The content of an answer that is a file of points or a table; undefined for other types. */
function fileContent(type: string, { rows, output }: Route, example: object) {
  if (!isFileType(type)) return undefined;
  if (rows !== undefined) {
    const description = `A header row with the field names of \`${rows}\`, then one row per entry. Null is an empty field`;
    const table = tableText(columnsOf(output, rows), Reflect.get(example, rows));
    return { schema: { type: 'string' as const, description }, example: table };
  }
  const { description, example: lines } = FILES[type];
  const text = { type: 'string' as const, description };
  return lines === undefined ? { schema: { ...text, format: 'binary' } } : { schema: text, example: lines };
}

/** The headers that only some answers have: the link to the next page, the name of a file, and the end of history. */
function headersOf({ properties = {} }: Schema, { types, rows }: Route) {
  const isFile = types.every(isFileType);
  return {
    ...('next_cursor' in properties && {
      link: header(
        '`<...>; rel="next"`: the next page, if there is one. `<...>; rel="service-desc"`: this document',
      ),
    }),
    ...(isFile && { 'content-disposition': header('attachment, and a file name with the interval') }),
    ...((isFile || (rows !== undefined && 'history_until' in properties)) && {
      'history-until': header(
        'Of a file or a table: the end of the newest minute in the interval whose points were removed (RAW_RETENTION). Left out if there is none',
      ),
    }),
  };
}

const KEY = 'key';

const SCHEME = {
  type: 'http',
  scheme: 'bearer',
  description: 'An API key, from the operator of the service',
} as const;
