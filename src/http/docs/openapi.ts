// The OpenAPI document: generated from the router, then completed with what the generator cannot say.
import type { FastifyInstance } from 'fastify';
import { generateOpenApiDocument } from 'trpc-to-openapi';
import { z } from 'zod';
import type { Operation } from '../../api/operation.ts';
import { appRouter, operations } from '../../api/router.ts';
import { tableText } from '../../api/table.ts';
import { FILES, isFileType, isLinesType, JSON_TYPE } from '../../contract/media-types.ts';
import { Problem } from '../../contract/problem.ts';
import { type CacheControl, REVALIDATED_BY_ANYONE } from '../cache-control.ts';
import { DOCUMENT } from '../paths.ts';
import { STATUS } from '../problem.ts';
import type { Service } from '../service.ts';
import { HEADERS, header, RESPONSES, responsesOf, successHeaders } from './openapi-problems.ts';
import { WEBHOOKS } from './openapi-webhooks.ts';

export type Document = ReturnType<typeof generateOpenApiDocument>;
type Entry = NonNullable<NonNullable<Document['paths']>[string]['get']>;
type Schemas = NonNullable<NonNullable<Document['components']>['schemas']>;
type Schema = Exclude<Schemas[string], { $ref: string }>;

const DESCRIPTION = `
Levels, frequencies and statistics from a microphone's measurements.

- **Times** are read as RFC 3339 with a zone, \`now\`, or \`now-<n><s|m|h|d>\`, and written in UTC with six fractional digits.
- **Intervals** are half open: \`from\` belongs to them, \`to\` does not.
- **Pages**: while \`next_cursor\` is not null, more points exist; the \`Link\` header holds the next page.
- **Errors** are problem details (RFC 9457) and name every bad parameter.
- **More** is in the manual, at \`/manual\` of the service.
`.trim();

const TAGS = [
  { name: 'audio', description: 'Points: the measured windows' },
  { name: 'stats', description: 'Statistics of many points' },
  { name: 'events', description: 'Points that stand out' },
  { name: 'export', description: 'Points as files' },
  { name: 'service', description: 'The service itself' },
  { name: 'health', description: 'For probes' },
];

/**
 * Serves the document, which changes with the configuration; the page that shows it is a file.
 *
 * @param areKeysNeeded whether callers need a key
 */
export function mountDocument(
  app: FastifyInstance,
  { send, cacheControl }: Service,
  version: string,
  areKeysNeeded: boolean,
): void {
  const text = Buffer.from(JSON.stringify(openApiDocument(version, cacheControl, areKeysNeeded)));
  app.get(DOCUMENT, { config: { transport: 'docs' } }, (request, reply) =>
    send(request, reply, { type: JSON_TYPE, cacheControl: REVALIDATED_BY_ANYONE, body: text }),
  );
}

/** Describes everything under `/api/v1`, and nothing else. */
export function openApiDocument(
  version: string,
  cacheControl: CacheControl,
  areKeysNeeded: boolean,
): Document {
  const document = generateOpenApiDocument(appRouter, {
    title: 'Audio Metrics',
    description: DESCRIPTION,
    version,
    baseUrl: '../v1', // relative to the document (OpenAPI 3.1, 4.8.5), and without a slash at the end
    securitySchemes: areKeysNeeded ? { [KEY]: SCHEME } : {},
    defs: { Problem },
    paths: Object.fromEntries(
      Array.from(operations.values())
        .filter(({ kind }) => kind === 'stream')
        .map(streamEntry),
    ),
  });
  document.webhooks = WEBHOOKS;
  document.info.license = { name: 'MIT', identifier: 'MIT' };
  document.info.contact = { name: 'Whoever runs the service' };
  document.tags = TAGS;
  document.security = [];
  const schemas: Schemas = document.components?.schemas ?? {};
  for (const name of Object.keys(schemas)) if (name.startsWith('error.')) delete schemas[name];
  for (const operation of operations.values()) {
    const entry = document.paths?.[operation.path]?.get;
    if (!entry) throw new Error(`${operation.path} has no GET operation`);
    finish(entry, operation, schemas, cacheControl.isTagged(operation.cache));
    if (operation.isProbe) continue;
    if (areKeysNeeded) entry.security = [{ [KEY]: [] }];
    entry.responses = { ...entry.responses, ...responsesOf([areKeysNeeded ? 401 : 421, 406, 429]) };
  }
  const { [areKeysNeeded ? 421 : 401]: _, ...responses } = RESPONSES;
  const { 'www-authenticate': ofKeys, ...headers } = HEADERS;
  document.components = {
    ...document.components,
    headers: areKeysNeeded ? { ...headers, 'www-authenticate': ofKeys } : headers,
    responses,
  };
  // they stand beside the schema now
  for (const schema of Object.values(schemas)) if (!('$ref' in schema)) delete schema.examples;
  plainly(schemas);
  document.paths = Object.fromEntries(
    Array.from(operations.values(), ({ path }) => [path, document.paths?.[path] ?? {}]),
  );
  return document;
}

/** The entry of a subscription, which the generator refuses, in the form that it gives the others. */
function streamEntry({ path, name, group, summary, description, input, output }: Operation) {
  const query = input instanceof z.ZodPrefault || input instanceof z.ZodDefault ? input.unwrap() : input;
  if (!(query instanceof z.ZodObject)) throw new Error(`The input of ${name} is not an object`);
  const entry = {
    operationId: name.replace('.', '-'),
    summary,
    description,
    tags: [group],
    requestParams: { query },
    responses: { 200: { description: summary, content: { 'application/json': { schema: output } } } },
  };
  return [path, { get: entry }] as const;
}

/**
 * Says of a schema what generators of clients read: a nullable value has two types, a number its format. Removes what
 * nobody may rely on: that no field will ever be added, and that a whole number is one that a double can hold.
 */
function plainly(schema: object): void {
  for (const [name, value] of Object.entries(schema)) {
    const isSaid =
      (name === 'additionalProperties' && value === false) ||
      (name === 'minimum' && value === Number.MIN_SAFE_INTEGER) ||
      (name === 'maximum' && value === Number.MAX_SAFE_INTEGER);
    if (isSaid) Reflect.deleteProperty(schema, name);
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

/** Descriptions are Markdown, where this would read as a tag. */
const RELATIVE = 'now-<n><s|m|h|d>';

/** Completes the entry of an operation with its errors, headers, media types and examples. */
function finish(entry: Entry, operation: Operation, schemas: Schemas, isTagged: boolean): void {
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
    operation.types.map((type) => [
      type === JSON_TYPE ? 'application/json' : type,
      fileContent(type, operation, example) ?? { schema, example },
    ]),
  );
  success.headers = { ...successHeaders(operation.isProbe, isTagged), ...headersOf(named, operation) };
  const statuses = operation.errors.map((code) => STATUS[code]);
  entry.responses = { 200: success, ...responsesOf(isTagged ? [304, ...statuses] : statuses) };
}

/**
 * What an answer holds that is a file of points, or a table; undefined for others.
 *
 * @param whole an example of the answer as JSON
 */
function fileContent(type: string, { table }: Operation, whole: object) {
  if (!isFileType(type)) return undefined;
  if (table) {
    const description = `A header row of the fields of \`${table.field}\`, then one row for each; empty for null`;
    return { schema: { type: 'string' as const, description }, example: tableText(table, whole) };
  }
  const { description, example } = FILES[type];
  const text = { type: 'string' as const, description };
  return isLinesType(type) ? { schema: text, example } : { schema: { ...text, format: 'binary' } };
}

/** The headers that belong to a kind of answer: a file its name, a page its successor. */
function headersOf({ properties = {} }: Schema, { kind }: Operation) {
  return {
    ...('next_cursor' in properties && {
      link: header(
        '`<...>; rel="next"`: the next page, if there is one. `<...>; rel="service-desc"`: this document',
      ),
    }),
    ...(kind === 'file' && {
      'content-disposition': header('attachment, and a file name that holds the interval'),
    }),
  };
}

const KEY = 'key';

const SCHEME = {
  type: 'http',
  scheme: 'bearer',
  description: 'A key, from whoever runs the service',
} as const;
