// Generates docs/reference/operations.md from the OpenAPI document.
import { INSTANT_ALLOWED } from '../../src/contract/instant.ts';
import type { Operation, Parameter, readDocument, Schema } from './document.ts';
import { jsonOf, sentencesOf } from './plain-text.ts';

const introductionOf = (streams: string) => `# Operations

<!-- \`npm run docs:reference\` makes this page from the OpenAPI document -->

Each operation is a \`GET\` below \`/api/v1\`, and a tRPC query of the same name below \`/trpc\`. \`HEAD\` works too. ${streams} are streams of server-sent events, and tRPC subscriptions. A running service has this page as an OpenAPI document at \`/api/v1/openapi.json\`. Its \`/docs\` lets you try each operation.
`;

const rulesOf = (tables: string) => `## Times

A time in a request is RFC 3339 with a zone and up to six fractional digits, or \`now\`, or \`now-<n><s|m|h|d>\` such as \`now-90m\`. Answers have times in UTC with six digits, such as \`2026-01-01T00:00:00.123456Z\`, so they sort as text. In a URL, write \`+\` as \`%2B\`. A bare \`+\` becomes a space, which the service accepts too.

## Intervals

An interval includes \`from\` and excludes \`to\`, so adjacent intervals share no point. \`from\` must be earlier than \`to\`.

Both may also be dates, together with \`time_zone\`. A date means its first instant in that zone, even if the clocks change that day: \`from=2026-10-01&to=2026-11-01&time_zone=Europe/Vienna\` is October in Vienna.

## Pages

If there is a next page, \`next_cursor\` is a string, and REST sends \`Link: <...>; rel="next"\`. Pass it as \`cursor\`, and keep the other parameters unchanged. Together, the pages have every point once, even if many points share one time.

## Formats

Pages of points are JSON. \`export.csv\` returns the points of an interval as a file: CSV, JSON lines, or \`application/vnd.apache.parquet\`, as [Export](../how-to/export.md) shows. With \`Accept: text/csv\`, ${tables} return their rows as CSV.

\`\`\`sh
curl -H 'Accept: application/x-ndjson' 'http://127.0.0.1:3000/api/v1/export/csv?from=now-1h&to=now' | jq .rms_db
\`\`\`

## Parameters

REST refuses unknown, empty and repeated parameters. \`/trpc\` refuses unknown parameters. The service refuses a number that is too high, rather than lowering it. [Errors](errors.md) lists the statuses and their bodies.

Every REST answer links to the OpenAPI document: \`Link: <../openapi.json>; rel="service-desc"\` (RFC 8631). Links are relative to the address of the request.
`;

type Document = ReturnType<typeof readDocument>;

/** @returns the page, in Markdown */
export function operationsPage(document: Document): string {
  const { paths, components } = document;
  const { schemas } = components;
  const named = (is: (operation: Operation) => boolean) =>
    new Intl.ListFormat('en-GB').format(
      Object.values(paths).flatMap(({ get }) => (is(get) ? [`\`${nameOf(get)}\``] : [])),
    );
  const hasType = (type: string) => (operation: Operation) =>
    typesOf(operation).some((one) => one.startsWith(type));
  const shown = Object.values(paths).flatMap(({ get }) => refOf(get.responses['200']) ?? []);
  const objects = Object.entries(schemas)
    .filter(([name]) => !shown.includes(name) || name.endsWith('Event'))
    .map(([name, schema]) => objectOf(name, schema));
  const sections = groupsOf(document).map(({ title, members }) =>
    [`## ${title}\n`, ...members.map(([path, { get }]) => operationOf(path, get, schemas))].join('\n'),
  );
  return [
    introductionOf(named(hasType('text/event-stream'))),
    operationsTable(document),
    rulesOf(named((operation) => hasType('application/json')(operation) && hasType('text/csv')(operation))),
    ...sections,
    '## Objects\n',
    ...objects,
  ].join('\n');
}

function groupsOf({ tags, paths }: Document) {
  const byTag = Map.groupBy(Object.entries(paths), ([, { get }]) => get.tags[0]);
  return tags.map(({ name, description }) => ({ title: description, members: byTag.get(name) ?? [] }));
}

const typesOf = ({ responses }: Operation) => Object.keys(responses['200']?.content ?? {});

const nameOf = ({ operationId }: Operation) => operationId.replace('-', '.');

/** @param page has the descriptions of the operations; by default the page of the table */
export function operationsTable(document: Document, page = ''): string {
  const rows = groupsOf(document).flatMap(({ title, members }) =>
    members.map(([, { get }], place) => {
      const name = nameOf(get);
      return `| ${place === 0 ? title : ''} | [${name}](${page}#${name.replace('.', '')}) | ${get.summary} |`;
    }),
  );
  return ['| Group | Operation | Answer |', '|---|---|---|', ...rows, ''].join('\n');
}

function operationOf(path: string, operation: Operation, schemas: Document['components']['schemas']): string {
  const { summary, description, parameters = [], responses } = operation;
  const failures = Object.keys(responses).filter((status) => Number(status) >= 400);
  const [[type = '', answer] = []] = Object.entries(responses['200']?.content ?? {});
  const name = refOf(responses['200']);
  const isJson = type === 'application/json';
  const fields = name && isJson ? fieldsOf(schemas[name]) : [];
  const language = isJson ? 'json' : 'text';
  const sample = typeof answer?.example === 'string' ? answer.example.trim() : jsonOf(answer?.example);
  return [
    `### ${nameOf(operation)}\n`,
    `\`GET /api/v1${path}\`\n`,
    `${summary}.\n`,
    description === summary ? '' : `${described(description)}\n`,
    parameters.length === 0 ? 'It takes no parameters.\n' : list('Parameters:', parameters.map(parameterOf)),
    ...(name && !isJson ? [`Each event holds a [${name}](#${name.toLowerCase()}).\n`] : []),
    ...(fields.length > 0 ? [list('The answer:', fields)] : []),
    `[Errors](errors.md): ${failures.join(', ')}.\n`,
    `\`\`\`sh\n${curlOf(path, parameters, type)}\n\`\`\`\n`,
    `\`\`\`${language}\n${sample}\n\`\`\`\n`,
  ]
    .filter((part) => part !== '')
    .join('\n');
}

/** A description may hold an example, indented by four spaces. */
function described(description: string): string {
  const paragraphs = description.split('\n\n');
  return paragraphs
    .map((text) => (/^ {4}/.test(text) ? text : text.endsWith('them') ? `${text}:` : sentencesOf(text)))
    .join('\n\n');
}

const list = (title: string, items: readonly string[]) =>
  `${title}\n\n${items.map((item) => `- ${item}`).join('\n')}\n`;

function parameterOf({ name, required, description = '', schema }: Parameter): string {
  const { default: preset, minimum, maximum, enum: values } = schema;
  const range = minimum !== undefined && maximum !== undefined ? `${minimum} to ${maximum}` : undefined;
  const allowed = values ? values.map((value) => `\`${value}\``).join(' ') : range;
  const facts = [
    required === true ? 'required' : preset === undefined ? 'optional' : `default \`${preset}\``,
    ...(allowed === undefined ? [] : [allowed]),
  ];
  return `\`${name}\` (${facts.join('; ')}). ${sentencesOf(withoutTimes(description))}`;
}

/** The document's list of accepted time formats, with angle brackets in code. */
const TIMES = INSTANT_ALLOWED.replace('now-<n><s|m|h|d>', '`$&`');

/** Replaces the list of accepted time formats with a link to the section "Times". */
const withoutTimes = (description: string) => description.replace(TIMES, 'a [time](#times)');

function fieldsOf(schema: Schema | undefined, prefix = ''): string[] {
  return Object.entries(schema?.properties ?? {}).flatMap(([name, field]) => {
    const path = `${prefix}${name}`;
    const { description } = field;
    const own = `\`${path}\` (${typeOf(field)})${description ? `. ${sentencesOf(description)}` : '.'}`;
    const inner = [field, field.items, ...(field.anyOf ?? [])].find((each) => each?.properties);
    return [own, ...(inner ? fieldsOf(inner, `${path}${field.items ? '[]' : ''}.`) : [])];
  });
}

function objectOf(name: string, schema: Schema): string {
  const about = schema.description ? `${sentencesOf(schema.description)}\n\n` : '';
  const variants = (schema.anyOf ?? schema.oneOf ?? []).map((each) => `- ${typeOf(each)}`);
  return `### ${name}\n\n${about}${[...fieldsOf(schema).map((field) => `- ${field}`), ...variants].join('\n')}\n`;
}

function typeOf({ $ref, type, format, items, anyOf, allOf, enum: values }: Schema): string {
  if ($ref) return linkTo($ref);
  const [kind = 'any', none] = Array.isArray(type) ? type : [type];
  if (none)
    return `${typeOf({ type: kind, format, items, enum: values?.filter((value) => value !== null) })} or null`;
  if (format === 'date-time') return 'time';
  if (values) return values.map((value) => `\`${value}\``).join(' ');
  if (items) return `array of ${typeOf(items)}`;
  return (anyOf ?? allOf)?.map(typeOf).join(' or ') ?? kind;
}

function linkTo(ref: string): string {
  const name = ref.split('/').at(-1) ?? '';
  return `[${name}](#${name.toLowerCase()})`;
}

function refOf(response: Operation['responses'][string] | undefined): string | undefined {
  const [content] = Object.values(response?.content ?? {});
  return content?.schema.$ref?.split('/').at(-1);
}

function curlOf(path: string, parameters: readonly Parameter[], type: string): string {
  const query = parameters
    .filter(({ required }) => required)
    .map(({ name, example }) => `${name}=${example}`)
    .join('&');
  const url = `http://127.0.0.1:3000/api/v1${path}${query === '' ? '' : `?${query}`}`;
  return `curl ${type === 'text/event-stream' ? '-N ' : ''}'${url}'`;
}
