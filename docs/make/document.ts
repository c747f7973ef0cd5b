// Parses the parts of the OpenAPI document that the reference shows.
import { z } from 'zod';
import { createCacheControl } from '../../src/http/cache-control.ts';
import { openApiDocument } from '../../src/http/docs/openapi.ts';

/** A schema in the document. The schema and a reference to it may each have a description. */
export interface Schema {
  $ref?: string | undefined;
  description?: string | undefined;
  type?: string | string[] | undefined;
  format?: string | undefined;
  enum?: (string | number | null)[] | undefined;
  default?: unknown;
  minimum?: number | undefined;
  maximum?: number | undefined;
  items?: Schema | undefined;
  anyOf?: Schema[] | undefined;
  oneOf?: Schema[] | undefined;
  allOf?: Schema[] | undefined;
  properties?: Record<string, Schema> | undefined;
}

const Schema: z.ZodType<Schema> = z.lazy(() =>
  z.object({
    $ref: z.string().optional(),
    description: z.string().optional(),
    type: z.union([z.string(), z.array(z.string())]).optional(),
    format: z.string().optional(),
    enum: z.array(z.union([z.string(), z.number(), z.null()])).optional(),
    default: z.unknown().optional(),
    minimum: z.number().optional(),
    maximum: z.number().optional(),
    items: Schema.optional(),
    anyOf: z.array(Schema).optional(),
    oneOf: z.array(Schema).optional(),
    allOf: z.array(Schema).optional(),
    properties: z.record(z.string(), Schema).optional(),
  }),
);

const Parameter = z.object({
  name: z.string(),
  required: z.boolean().optional(),
  description: z.string().optional(),
  example: z.unknown().optional(),
  schema: Schema,
});
export type Parameter = z.infer<typeof Parameter>;

/** Binary content has no example. */
const Content = z.object({ schema: Schema, example: z.unknown().optional() });
/** Error responses are references without content, so the page shows only their statuses. */
const Response = z.object({ content: z.record(z.string(), Content).optional() });

const Operation = z.object({
  operationId: z.string(),
  summary: z.string(),
  description: z.string(),
  tags: z.tuple([z.string()]),
  parameters: z.array(Parameter).optional(),
  responses: z.record(z.string(), Response),
});
export type Operation = z.infer<typeof Operation>;

const Document = z.object({
  tags: z.array(z.object({ name: z.string(), description: z.string() })),
  paths: z.record(z.string(), z.object({ get: Operation })),
  components: z.object({ schemas: z.record(z.string(), Schema) }),
});

/** The document of a service without keys and without a shared cache. */
export function readDocument() {
  const document = openApiDocument('', createCacheControl(), false);
  return Document.parse(JSON.parse(JSON.stringify(document)));
}
