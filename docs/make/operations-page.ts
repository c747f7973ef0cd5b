// Writes docs/reference/operations.md: what the OpenAPI document says, for people.
import { INSTANT_ALLOWED } from '../../src/contract/instant.ts';
import type { Operation, Parameter, readDocument, Schema } from './document.ts';
import { jsonOf, sentencesOf } from './plain-text.ts';

const INTRODUCTION = `# Operations

<!-- \`npm run docs:reference\` makes this page of the OpenAPI document -->

Each operation is a \`GET\` below \`/api/v1\`, and a tRPC query of the same name below \`/trpc\`. \`HEAD\` works too. \`audio.live\` is a stream of server-sent events, and a tRPC subscription. A running service has the same as a machine reads it, at \`/api/v1/openapi.json\`, and to try at \`/docs\`.

## Times

A time is read as RFC 3339 with a zone and up to six fractional digits, as \`now\`, or as \`now-<n><s|m|h|d>\` such as \`now-90m\`. It is written in UTC with six digits, such as \`2026-01-01T00:00:00.123456Z\`, which sorts as text. Write a \`+\` in an address as \`%2B\`. The space that it otherwise becomes is understood.

## Intervals

An interval is half open: \`from\` belongs to it, \`to\` does not. So neighbours never share a point. \`from\` must be earlier than \`to\`.

\`stats.days\`, \`stats.limits\`, \`stats.series\` and \`stats.worst\` take dates too, together with \`time_zone\`. A date stands for its first instant in that zone, whatever its clocks do: \`from=2026-10-01&to=2026-11-01&time_zone=Europe/Vienna\` is October in Vienna.

## Pages

While there is more, \`next_cursor\` is a string, and REST sends \`Link: <...>; rel="next"\`. Pass it as \`cursor\`, and leave the other parameters as they were. Following it gives every point once, also where many share one time.

## Formats

\`audio.range\` and \`events.loud\` answer \`Accept: text/csv\` with a page of CSV, and \`Accept: application/x-ndjson\` with one JSON object a line. The next page is then in \`Link\` alone. \`stats.series\`, \`stats.days\`, \`stats.distribution\`, \`stats.worst\`, \`events.list\`, \`events.series\` and \`events.top\` answer \`Accept: text/csv\` with their rows. \`export.csv\` gives the whole interval as CSV, as lines of JSON, or as \`application/vnd.apache.parquet\`: [Export](../how-to/export.md).

\`\`\`sh
curl -H 'Accept: application/x-ndjson' 'http://127.0.0.1:3000/api/v1/export/csv?from=now-1h&to=now' | jq .rms_db
\`\`\`

## Parameters

On REST unknown, empty and repeated parameters are refused. On \`/trpc\` unknown ones are. A number that is too high is refused, not lowered. [Errors](errors.md) has the statuses and their bodies.

Every answer of REST links to the OpenAPI document: \`Link: <../openapi.json>; rel="service-desc"\` (RFC 8631). Links are relative to the address that you asked for.
`;

type Document = ReturnType<typeof readDocument>;

/** @returns the page, in Markdown */
export function operationsPage({ paths, components: { schemas } }: Document): string {
  const operations = Object.entries(paths).map(([path, { get }]) => operationOf(path, get, schemas));
  const shown = Object.values(paths).flatMap(({ get }) => refOf(get.responses['200']) ?? []);
  const objects = Object.entries(schemas)
    .filter(([name]) => !shown.includes(name) || name.endsWith('Event'))
    .map(([name, schema]) => objectOf(name, schema));
  return [INTRODUCTION, ...operations, '## Objects\n', ...objects].join('\n');
}

function operationOf(path: string, operation: Operation, schemas: Document['components']['schemas']): string {
  const { operationId, summary, description, parameters = [], responses } = operation;
  const failures = Object.keys(responses).filter((status) => Number(status) >= 400);
  const [[type = '', answer] = []] = Object.entries(responses['200']?.content ?? {});
  const name = refOf(responses['200']);
  const isJson = type === 'application/json';
  const fields = name && isJson ? fieldsOf(schemas[name]) : [];
  const language = isJson ? 'json' : 'text';
  const sample = typeof answer?.example === 'string' ? answer.example.trim() : jsonOf(answer?.example);
  return [
    `## ${operationId.replace('-', '.')}\n`,
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
  const told = [
    required === true ? 'required' : preset === undefined ? 'optional' : `default \`${preset}\``,
    ...(allowed === undefined ? [] : [allowed]),
  ];
  return `\`${name}\` (${told.join('; ')}). ${sentencesOf(withoutTimes(description))}`;
}

/** What a time may be is said once, under "Times". */
function withoutTimes(description: string): string {
  return description.replaceAll('`', '').replace(INSTANT_ALLOWED, 'a [time](#times)');
}

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
  return `### ${name}\n\n${about}${fieldsOf(schema)
    .map((field) => `- ${field}`)
    .join('\n')}\n`;
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
