// Reads the parameters of a query string by the types that the OpenAPI document declares.

/** The declared type of each parameter, by name. */
export type DeclaredTypes = ReadonlyMap<string, 'string' | 'number' | 'integer'>;

const DECIMAL = /^-?\d+(\.\d+)?$/;
const WHOLE = /^-?\d+$/;

/**
 * Plain decimals become numbers where a number is declared. Everything else stays as it was sent, for the
 * input schema to refuse: other text, undeclared parameters, and as arrays those that are given twice.
 *
 * @param query as Fastify reads it
 */
export function readQuery(query: unknown, types: DeclaredTypes): Record<string, unknown> {
  const input = query as Record<string, unknown>;
  for (const name in input) input[name] = read(input[name], types.get(name));
  return input;
}

function read(given: unknown, type: string | undefined): unknown {
  if (typeof given !== 'string') return given;
  const isNumber = (type === 'number' && DECIMAL.test(given)) || (type === 'integer' && WHOLE.test(given));
  return isNumber ? Number(given) : given;
}
