// Outputs of procedures: they document and type an answer, and pass it on unparsed.
import { z } from 'zod';
import type { Point } from '../contract/point.ts';
import { Points } from '../points/points.ts';

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
