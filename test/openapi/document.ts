// Reads the served OpenAPI document, and validates answers against its schemas.
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';

export interface Parameter {
  in: string;
  name: string;
  required?: boolean;
  description?: string;
  example?: unknown;
  schema: {
    type: string;
    format?: string;
    anyOf?: { type: string; format?: string }[];
  };
}

export interface Answer {
  description: string;
  headers?: Record<string, { description: string; schema: { type: string } }>;
  content: Record<
    string,
    {
      schema: { format?: string; $ref?: string };
      example?: unknown;
      examples?: Record<string, { value: object }>;
    }
  >;
}

export interface Operation {
  operationId: string;
  summary: string;
  description: string;
  tags: string[];
  parameters?: Parameter[];
  responses: Record<string, Answer>;
}

export interface ObjectSchema {
  required?: string[];
  properties: Record<string, { description?: string; const?: unknown; $ref?: string }>;
}

export interface Document {
  openapi: string;
  info: { title: string; version: string; description: string; license: object };
  servers: { url: string }[];
  tags: { name: string; description: string }[];
  paths: Record<string, { get?: Operation }>;
  webhooks: { message: { post: { parameters: Parameter[]; requestBody: Answer } } };
  components: { schemas: { Point: ObjectSchema } & Record<string, ObjectSchema> };
}

/** The document, with shared headers and responses inlined. */
export async function fetchDocument(url: string): Promise<Document> {
  const response = await fetch(`${url}/api/v1/openapi.json`);
  const { components, ...document } = (await response.json()) as Document;
  return { ...dereferenced(document, components), components };
}

/** Inlines references to headers and responses. References to schemas stay. */
export function dereferenced<T>(value: T, components: object): T {
  const text = JSON.stringify(value, (_, part) => {
    const [, kind, name] = /^#\/components\/(headers|responses)\/(.+)$/.exec(part?.$ref ?? '') ?? [];
    return kind === undefined ? part : Reflect.get(Reflect.get(components, kind), name ?? '');
  });
  return JSON.parse(text);
}

/** The GET operation at a path. Throws if the document has none. */
export function operationAt(document: Document, path: string): Operation {
  const operation = document.paths[path]?.get;
  if (!operation) throw new Error(`The document has no ${path}`);
  return operation;
}

/** One for each document, because it takes long to compile. */
const validators = new WeakMap<object, Ajv2020>();

function validatorOf({ components }: Document): Ajv2020 {
  const known = validators.get(components);
  if (known) return known;
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  formats.default(ajv);
  ajv.addSchema({ $id: 'https://test/document', components });
  validators.set(components, ajv);
  return ajv;
}

/** Validates `body` against `schema`, which may refer to `document`. @returns the errors, [] if it is valid */
export function judge(document: Document, schema: object, body: unknown): unknown[] {
  const $id = `https://test/${Buffer.from(JSON.stringify(schema)).toString('base64url')}`;
  const ajv = validatorOf(document);
  const absolute = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"https://test/document#/'));
  const validate = ajv.getSchema($id) ?? ajv.compile({ ...absolute, $id });
  return validate(body) ? [] : (validate.errors ?? []);
}

/** @returns everything about an answer that the document does not describe, [] if it describes the whole answer */
export function undescribed(
  document: Document,
  path: string,
  { status, headers, body }: { status: number; headers: Headers; body: object },
): unknown[] {
  const { content = {}, headers: named = {} } = operationAt(document, path).responses[status] ?? {};
  const schema = content[headers.get('content-type')?.replace(/;.*/, '') ?? '']?.schema;
  if (!schema) return [`${status} ${headers.get('content-type')}`];
  const { schemas } = document.components;
  const { points = [], events = [] }: { points?: object[]; events?: object[] } = body;
  const unknown = (name: string, row: object) =>
    Object.keys(row).filter((key) => !(key in (schemas[name]?.properties ?? {})));
  return [
    ...judge(document, schema, body),
    ...Object.keys(named).filter((name) => !headers.has(name) && name !== 'history-until'), // of tables with history
    ...unknown(schema.$ref?.split('/').at(-1) ?? '', body),
    ...points.flatMap((row) => unknown('Point', row)),
    ...events.flatMap((row) => unknown('NoiseEvent', row)),
  ];
}
