// Reads query strings: plain decimals become numbers if the input declares a number.
import { z } from 'zod';

const DECIMAL = /^-?\d+(\.\d+)?$/;
const WHOLE = /^-?\d+$/;

/** As Fastify reads a query string: the value of a parameter that is given twice is an array. */
export type Query = Record<string, unknown>;

/** What cannot be read stays as it was sent, for the input to refuse. */
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
