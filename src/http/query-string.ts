// Reads a query string by the types that the OpenAPI document declares.

/** The declared type of each parameter, by name. */
export type DeclaredTypes = ReadonlyMap<string, 'string' | 'number' | 'integer'>;

const DECIMAL = /^-?\d+(\.\d+)?$/;
const WHOLE = /^-?\d+$/;

/**
 * Plain decimals become numbers where a number is declared. Everything else stays as it was sent, for the
 * input schema to refuse: other text, undeclared parameters, and as arrays those that are given twice.
 */
export function readQueryString(url: string, types: DeclaredTypes): Record<string, unknown> {
  const mark = url.indexOf('?');
  const given = new URLSearchParams(mark < 0 ? '' : url.slice(mark + 1));
  const input: Record<string, unknown> = Object.create(null);
  for (const name of new Set(given.keys())) {
    const [text = '', ...more] = given.getAll(name);
    input[name] = more.length > 0 ? [text, ...more] : read(text, types.get(name));
  }
  return input;
}

function read(text: string, type: string | undefined): string | number {
  const isNumber = (type === 'number' && DECIMAL.test(text)) || (type === 'integer' && WHOLE.test(text));
  return isNumber ? Number(text) : text;
}
