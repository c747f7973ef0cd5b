// The metadata of a procedure: its texts, media types, and the schema of its answer.
import type { OpenApiMeta } from 'trpc-to-openapi';
import { z } from 'zod';
import type { Point } from '../contract/point.ts';
import type { Points } from '../points/points.ts';

export interface Meta extends OpenApiMeta {
  /** Callers may keep `revalidated` answers, but must revalidate them. Only shared caches may keep `momentary` ones. */
  readonly cache?: 'revalidated' | 'momentary';
  /** The media types on REST, the default first. By default JSON, CSV if `rows` is set, or an event stream. */
  readonly types?: readonly string[];
  /** The field of the answer that is a table: an array of flat objects. */
  readonly rows?: string;
  /** Of a subscription: the query string on REST, and the data of an event. */
  readonly stream?: { readonly query: z.ZodObject; readonly event: z.ZodType };
  /** Whether probes call it. It needs no key, and has no rate limit and no queue. */
  readonly isProbe?: boolean;
  /** The error statuses of the procedure itself; others occur before the call. By default those of a query. */
  readonly errors?: readonly number[];
}

/** @param path on REST, below its prefix */
export function get(path: `/${string}`, summary: string, description: string) {
  const [, group = ''] = path.split('/');
  return { method: 'GET' as const, path, summary, description, tags: [group], protect: false };
}

/** An answer or an event inside the service. Its points stay text until they are sent. */
export type Given<Answer> = Answer extends { points: Point[] }
  ? Omit<Answer, 'points'> & { points: Points }
  : Answer;

const documents = new WeakMap<object, z.ZodType>();
let areChecked = false;

/** Turns answers that do not match their documentation into errors. For tests. */
export function checkAnswers(): void {
  areChecked = true;
}

/** @param schema of the answer as JSON. It has an id */
export function documented<Schema extends z.ZodType>(schema: Schema) {
  const isGiven = (answer: unknown) => {
    if (areChecked) schema.parse(JSON.parse(JSON.stringify(answer)));
    return true;
  };
  const override = { $ref: `#/components/schemas/${schema.meta()?.id}` };
  const output = z.custom<Given<z.output<Schema>>>(isGiven).meta({ override });
  documents.set(output, schema);
  return output;
}

/** @returns the schema that an output documents, or the output itself */
export function schemaOf(output: z.ZodType): z.ZodType {
  return documents.get(output) ?? output;
}
