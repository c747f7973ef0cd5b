// The OpenAPI document: generated from the router, finished with what the generator cannot say.
import { generateOpenApiDocument } from 'trpc-to-openapi';
import { Problem } from '../contract/problem.ts';
import { appRouter } from '../procedures/router.ts';
import { REVALIDATED } from './caching.ts';
import { RETRY_AFTER_SECONDS } from './problem.ts';

export type Document = ReturnType<typeof generateOpenApiDocument>;
type Operation = NonNullable<NonNullable<Document['paths']>[string]['get']>;

/** Where REST is mounted. */
export const REST_PREFIX = '/api/v1';

/** The media type of a CSV answer. */
export const CSV_TYPE = 'text/csv; charset=utf-8; header=present';

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
  { name: 'health', description: 'For probes' },
];

/** @returns the document that describes everything under {@link REST_PREFIX}, and nothing else. */
export function openApiDocument(version: string): Document {
  const document = generateOpenApiDocument(appRouter, {
    title: 'Audio Metrics',
    description: DESCRIPTION,
    version,
    baseUrl: REST_PREFIX,
    securitySchemes: {},
    defs: { Problem },
  });
  document.info.license = { name: 'MIT', identifier: 'MIT' };
  document.tags = TAGS;
  document.security = [];
  const schemas = document.components?.schemas ?? {};
  for (const name of Object.keys(schemas)) if (name.startsWith('error.')) delete schemas[name];
  for (const { get } of Object.values(document.paths ?? {})) if (get) finish(get, schemas);
  return document;
}

/** Descriptions are Markdown, in which this would pass for a tag. */
const RELATIVE = 'now-<n><s|m|h|d>';

/** Says of an operation what REST really answers: its errors, headers and media types. */
function finish(operation: Operation, schemas: Record<string, unknown>): void {
  for (const parameter of operation.parameters ?? []) {
    if ('$ref' in parameter || !parameter.schema || '$ref' in parameter.schema) continue;
    const { description, examples, ...schema } = parameter.schema;
    Object.assign(parameter, { description: description?.replace(RELATIVE, '`$&`'), schema });
    if (examples) Object.assign(parameter, { example: examples[0] });
  }
  const { 200: success } = operation.responses ?? {};
  success.description = operation.summary;
  const { schema } = success.content['application/json'];
  if (schema.type === 'string') success.content = { [CSV_TYPE]: { schema } };
  success.headers = { 'x-request-id': REQUEST_ID, ...headersOf(schema, schemas) };
  operation.responses = { 200: success, ...ERRORS };
  if (!isCacheable(operation)) return;
  Object.assign(success.headers, CACHING);
  operation.responses[304] = UNCHANGED;
}

/** The procedure of an operation, such as `audio.latest`. */
export function procedureOf({ operationId }: Operation): string {
  if (!operationId) throw new Error('An operation has no procedure');
  return operationId.replace('-', '.');
}

/** True for the operations that answer in pieces, as a file. */
export function isStreamed(operation: Operation): boolean {
  return !('application/json' in (operation.responses?.[200].content ?? {}));
}

/**
 * True for the operations that may give the same answer again, whole: those about a time that the caller can
 * name. The latest points are new each time that it is worth to ask.
 */
export function isCacheable(operation: Operation): boolean {
  const names = (operation.parameters ?? []).map((parameter) => 'name' in parameter && parameter.name);
  return names.includes('to') && !isStreamed(operation);
}

/** The headers that belong to a kind of answer: a file its name, a page its successor. */
function headersOf(schema: { type?: string; $ref?: string }, schemas: Record<string, unknown>) {
  if (schema.type === 'string') {
    return { 'content-disposition': header('attachment, and a file name that holds the interval') };
  }
  const named = schemas[schema.$ref?.split('/').at(-1) ?? ''] as { properties?: object } | undefined;
  const paged = named?.properties && 'next_cursor' in named.properties;
  return paged ? { link: header('<...>; rel="next": the next page, when there is one') } : {};
}

function header(description: string) {
  return { description, schema: { type: 'string' as const } };
}

const REQUEST_ID = header('The id of the request, also in the log');

const CACHING = {
  etag: header(
    'A strong tag of these bytes; send it back as If-None-Match to be answered 304 while they are current',
  ),
  'cache-control': header(`Always \`${REVALIDATED}\`: points may arrive late, so ask again before each use`),
};

const UNCHANGED = {
  description: 'What the caller has, by its If-None-Match, is current',
  headers: { 'x-request-id': REQUEST_ID, ...CACHING },
};

const ERRORS = {
  400: problem('A parameter is bad, missing, unknown, empty or given twice'),
  500: problem('An error of the service'),
  503: problem('The database cannot be reached, or no connection became free in time', {
    'retry-after': {
      description: `Seconds to wait: ${RETRY_AFTER_SECONDS}`,
      schema: { type: 'integer' as const },
    },
  }),
  504: problem('The query went over its time limit'),
};

function problem(description: string, headers: object = {}) {
  return {
    description,
    headers: { 'x-request-id': REQUEST_ID, ...headers },
    content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
  };
}
