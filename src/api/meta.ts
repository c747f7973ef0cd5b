// What a procedure says of itself: its words and media types, and the schema of its answer.
import type { OpenApiMeta } from 'trpc-to-openapi';
import { z } from 'zod';
import { CSV_TYPE, JSON_TYPE, NDJSON_TYPE } from '../contract/media-types.ts';
import type { Point } from '../contract/point.ts';
import { Points } from '../points/points.ts';

export interface Meta extends OpenApiMeta {
  /**
   * Whether a caller may keep the answer and ask later if it is still so. A momentary one is of use to shared caches
   * only. Not by default.
   */
  readonly cache?: 'revalidated' | 'momentary';
  /** The media types that REST offers, the one for callers who do not say first. JSON by default, and CSV of rows. */
  readonly types?: readonly string[];
  /** The field of the answer that is a table: an array of flat objects. */
  readonly rows?: string;
  /** Whether it is for probes: called without a key, as often as they like, and never in a queue. */
  readonly isProbe?: boolean;
  /** The statuses that it can fail with; others come before it is called. By default those of a query. */
  readonly errors?: readonly number[];
}

/** @param path on REST, below its prefix: that of the procedure, with slashes; of a `list` its group alone */
export function get(path: `/${string}`, summary: string, description: string) {
  const [, group = ''] = path.split('/');
  return { method: 'GET' as const, path, summary, description, tags: [group], protect: false };
}

/** The media types of pages of points. */
export const LINES = [JSON_TYPE, CSV_TYPE, NDJSON_TYPE];

/** An answer as a procedure gives it: its points are text until they are sent. */
type Given<Answer> = Answer extends { points: Point[] }
  ? Omit<Answer, 'points'> & { points: Points }
  : Answer;

const documents = new WeakMap<object, z.ZodType>();
let areChecked = false;

/** From now on an answer that is not as documented is an error. For tests. */
export function checkAnswers(): void {
  areChecked = true;
}

/** @param schema what the answer is as JSON, with an id */
export function documented<Schema extends z.ZodType>(schema: Schema) {
  const isGiven = (answer: unknown) => {
    if (areChecked && !hasLines(answer)) schema.parse(JSON.parse(JSON.stringify(answer)));
    return true;
  };
  const override = { $ref: `#/components/schemas/${schema.meta()?.id}` };
  const output = z.custom<Given<z.output<Schema>>>(isGiven).meta({ override });
  documents.set(output, schema);
  return output;
}

/** Whether its points were asked for as lines, which are sent alone. */
function hasLines(answer: unknown): boolean {
  const { points }: { points?: unknown } = Object(answer);
  return points instanceof Points && !points.text.startsWith('[');
}

/** @returns the schema that an output documents, or the output itself */
export function schemaOf(output: z.ZodType): z.ZodType {
  return documents.get(output) ?? output;
}
