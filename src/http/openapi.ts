// The OpenAPI document: generated from the router, then completed with what the generator cannot say.
import { generateOpenApiDocument } from 'trpc-to-openapi';
import { JSON_TYPE, LINES } from '../contract/media-types.ts';
import { Problem } from '../contract/problem.ts';
import { declarations, documentedRouter } from '../procedures/router.ts';
import type { Declaration } from '../procedures/trpc.ts';
import type { CacheControl } from './cache-control.ts';
import { ERRORS, header, notAcceptableOf, REQUEST_ID, UNAUTHORIZED } from './openapi-problems.ts';
import { REST_PREFIX } from './paths.ts';
import { STATUS } from './problem.ts';

export type Document = ReturnType<typeof generateOpenApiDocument>;
type Operation = NonNullable<NonNullable<Document['paths']>[string]['get']>;

const DESCRIPTION = `
Levels, frequencies and statistics from a microphone's measurements.

- **Times** are read as RFC 3339 with a zone, \`now\`, or \`now-<n><s|m|h|d>\`, and written in UTC with six fractional digits.
- **Intervals** are half open: \`from\` belongs to them, \`to\` does not.
- **Pages**: while \`next_cursor\` is not null, more points exist; the \`Link\` header holds the next page.
- **Errors** are problem details (RFC 9457) and name every bad parameter.
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
 * @param areKeysNeeded whether callers need a key
 * @returns the document that describes everything under {@link REST_PREFIX}, and nothing else
 */
export function openApiDocument(
  version: string,
  cacheControl: CacheControl,
  areKeysNeeded: boolean,
): Document {
  const document = generateOpenApiDocument(documentedRouter, {
    title: 'Audio Metrics',
    description: DESCRIPTION,
    version,
    baseUrl: REST_PREFIX,
    securitySchemes: areKeysNeeded ? { [KEY]: SCHEME } : {},
    defs: { Problem },
  });
  document.info.license = { name: 'MIT', identifier: 'MIT' };
  document.tags = TAGS;
  document.security = [];
  const schemas = (document.components?.schemas ?? {}) as Record<string, Named>;
  for (const name of Object.keys(schemas)) if (name.startsWith('error.')) delete schemas[name];
  for (const { operation, declaration } of operationsOf(document))
    finish(operation, declaration, schemas, cacheControl.isTagged(declaration.cache));
  for (const { operation, declaration } of areKeysNeeded ? operationsOf(document) : [])
    if (!declaration.isProbe) demandKey(operation);
  for (const schema of Object.values(schemas)) delete schema.examples; // they stand beside the schema now
  loosen(schemas);
  return document;
}

export interface MountedOperation {
  /** Below {@link REST_PREFIX}. */
  readonly path: string;
  /** The procedure, such as `audio.latest`. */
  readonly procedure: string;
  readonly declaration: Declaration;
  /** The JSON type of each parameter, by name. */
  readonly parameterTypes: ReadonlyMap<string, string>;
  readonly operation: Operation;
}

/** @returns what a document describes, with what its procedures declare */
export function operationsOf(document: Document): MountedOperation[] {
  return Object.entries(document.paths ?? {}).map(([path, { get: operation }]) => {
    const procedure = operation?.operationId?.replace('-', '.') ?? '';
    const declaration = declarations.get(procedure);
    if (!operation || !declaration) throw new Error(`${path} has no GET operation`);
    const declared = (operation.parameters ?? []) as { name: string; schema: { type: string } }[];
    const parameterTypes = new Map(declared.map(({ name, schema }) => [name, schema.type]));
    return { path, procedure, declaration, parameterTypes, operation };
  });
}

/**
 * Removes what zod says of answers but nobody may rely on: that no field will ever be added, and that a whole
 * number is one that a double can hold.
 */
function loosen(schema: unknown): void {
  if (typeof schema !== 'object' || schema === null) return;
  const said = schema as { additionalProperties?: unknown; minimum?: unknown; maximum?: unknown };
  if (said.additionalProperties === false) delete said.additionalProperties;
  if (said.minimum === Number.MIN_SAFE_INTEGER) delete said.minimum;
  if (said.maximum === Number.MAX_SAFE_INTEGER) delete said.maximum;
  for (const part of Object.values(schema)) loosen(part);
}

/** Descriptions are Markdown, where this would read as a tag. */
const RELATIVE = 'now-<n><s|m|h|d>';

/** Completes an operation with its errors, headers, media types and examples. */
function finish(
  operation: Operation,
  declaration: Declaration,
  schemas: Record<string, Named>,
  isTagged: boolean,
): void {
  for (const parameter of operation.parameters ?? []) {
    if ('$ref' in parameter || !parameter.schema || '$ref' in parameter.schema) continue;
    const { description, examples, ...schema } = parameter.schema;
    Object.assign(parameter, { description: description?.replace(RELATIVE, '`$&`'), schema });
    if (examples) Object.assign(parameter, { example: examples[0] });
  }
  const { 200: success } = operation.responses ?? {};
  success.description = operation.summary;
  const { schema } = success.content['application/json'];
  const named: Named = schemas[schema.$ref?.split('/').at(-1) ?? ''] ?? schema;
  const [example] = named.examples ?? [];
  success.content = Object.fromEntries(
    declaration.types.map((type) => [
      type === JSON_TYPE ? 'application/json' : type,
      contentOf(type) ?? { schema, example },
    ]),
  );
  success.headers = { 'x-request-id': REQUEST_ID, ...headersOf(named, declaration) };
  const errors = declaration.errors.map((code) => [STATUS[code], ERRORS[code]] as const);
  operation.responses = { 200: success, ...Object.fromEntries(errors) };
  if (!declaration.isProbe) operation.responses[406] = notAcceptableOf(declaration.types);
  if (!isTagged) return;
  Object.assign(success.headers, CACHING);
  operation.responses[304] = UNCHANGED;
}

/** What an answer holds that is text for people and programs that read lines; undefined for others. */
function contentOf(type: string) {
  if (!(type in LINES)) return undefined;
  const { description, example } = LINES[type as keyof typeof LINES];
  return { schema: { type: 'string' as const, description }, example };
}

interface Named {
  properties?: object;
  examples?: unknown[];
}

/** The headers that belong to a kind of answer: a file its name, a page its successor. */
function headersOf({ properties = {} }: Named, { isStreamed }: Declaration) {
  const file = { 'content-disposition': header('attachment, and a file name that holds the interval') };
  const next = 'next_cursor' in properties ? '`<...>; rel="next"`: the next page, when there is one. ' : '';
  return {
    link: header(`${next}\`<...>; rel="service-desc"\`: this document`),
    ...(isStreamed && file),
  };
}

const CACHING = {
  etag: header(
    'A strong tag of these bytes; send it back as If-None-Match to be answered 304 while they are current',
  ),
  'cache-control': header(
    'Points may arrive late, so ask again before each use; caches between may answer where it says so',
  ),
};

const UNCHANGED = {
  description: 'What the caller has, by its If-None-Match, is current',
  headers: { 'x-request-id': REQUEST_ID, ...CACHING },
};

/** Declares that an operation needs a key, and how it refuses who has none. */
function demandKey(operation: Operation): void {
  operation.security = [{ [KEY]: [] }];
  operation.responses = { ...operation.responses, 401: UNAUTHORIZED };
}

/** The name of the scheme in the document. */
const KEY = 'key';

const SCHEME = {
  type: 'http',
  scheme: 'bearer',
  description: 'A key, from whoever runs the service',
} as const;
