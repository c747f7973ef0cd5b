// Reads query strings: converts plain decimals to numbers if the input declares a number.
import { z } from 'zod';

const DECIMAL = /^-?\d+(\.\d+)?$/;
const WHOLE = /^-?\d+$/;

/** A query string as Fastify parses it: a repeated parameter is an array. */
export type Query = Record<string, unknown>;

/** Leaves all but plain decimals as sent, so that the input schema refuses the rest. */
export function createQueryReader(input: z.ZodType): (query: Query) => Query {
  const { properties = {} } = z.toJSONSchema(input, { io: 'input' });
  const forms = Object.entries(properties).flatMap(([name, schema]) => {
    const type = typeof schema === 'object' ? schema.type : undefined;
    const form = type === 'integer' ? WHOLE : type === 'number' ? DECIMAL : undefined;
    return form ? [[name, form] as const] : [];
  });
  return (query) => {
    const read = { ...query };
    for (const [name, form] of forms) {
      const given = query[name];
      if (typeof given === 'string' && form.test(given)) read[name] = Number(given);
    }
    return read;
  };
}
