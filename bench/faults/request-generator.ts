// Generates valid, invalid and absurd requests from the OpenAPI document. Equal seeds give equal requests.

export interface DescribedParameter {
  readonly name: string;
  readonly example?: unknown;
  readonly schema: {
    readonly type?: string;
    readonly minimum?: number;
    readonly maximum?: number;
    readonly enum?: readonly string[];
  };
}

export interface DescribedOperation {
  readonly path: string;
  readonly parameters: readonly DescribedParameter[];
}

export interface GeneratedRequest {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'DELETE';
  /** The path of its operation in the document, or undefined if it has none. */
  readonly operation: string | undefined;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Uniform numbers from 0 to 1 (mulberry32). Equal seeds give equal sequences. */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const ABSURD = [
  '',
  ' ',
  '0',
  '-1',
  '1e9',
  '0x10',
  'NaN',
  'null',
  '[]',
  "' or 1=1 --",
  '%00',
  '\u{1f50a}',
  'ä'.repeat(300),
  '99999999999999999999',
];
const TIMES = [
  'now',
  'now-1h',
  'now-30d',
  'now-90m',
  '2026-01-01T00:00:00Z',
  '2026-01-01T00:00:00+02:00',
  '2026-01-01T00:00:00.123456Z',
  '1970-01-01T00:00:00Z',
  '9999-12-31T23:59:59Z',
  '2026-02-30T00:00:00Z',
  'now-0s',
  'yesterday',
];
const CODINGS = ['gzip', 'br', 'zstd', 'identity;q=0', '*', 'gzip;q=2'];

/** @returns a function that generates the next request */
export function createRequestGenerator(
  operations: readonly DescribedOperation[],
  random: () => number,
): () => GeneratedRequest {
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
  const chance = (share: number) => random() < share;

  function value({ example, schema }: DescribedParameter): string {
    if (chance(0.08)) return pick(ABSURD);
    if (schema.enum) return pick(schema.enum);
    if (schema.type === 'integer' || schema.type === 'number') {
      const { minimum = 0, maximum = 1000 } = schema;
      if (chance(0.1)) return String(pick([minimum - 1, maximum + 1, minimum, maximum]));
      const given = minimum + random() ** 3 * (maximum - minimum); // mostly small, because large ones take long
      return String(schema.type === 'integer' ? Math.floor(given) : Number(given.toFixed(2)));
    }
    return chance(0.2) ? String(example ?? '') : pick(TIMES);
  }

  function query({ parameters }: DescribedOperation): URLSearchParams {
    const given = new URLSearchParams();
    for (const parameter of parameters) {
      const isInterval = parameter.name === 'from' || parameter.name === 'to';
      if (chance(isInterval ? 0.9 : 0.4)) given.append(parameter.name, value(parameter));
      if (chance(0.01)) given.append(parameter.name, value(parameter));
    }
    if (chance(0.03)) given.append(pick(['debug', 'Limit', '__proto__', 'constructor']), pick(ABSURD));
    return given;
  }

  function rpc(): string {
    const calls = Array.from({ length: 1 + Math.floor(random() * 3) }, () => pick(operations));
    const paths = calls.map(({ path }) => path.slice(1).replace('/', '.')).join(',');
    const inputs = calls.map((call) => Object.fromEntries(query(call)));
    if (chance(0.1)) return `/trpc/${paths}?batch=1&input=${encodeURIComponent(pick(ABSURD))}`;
    return `/trpc/${paths}?batch=1&input=${encodeURIComponent(JSON.stringify({ ...inputs }))}`;
  }

  return () => {
    const headers: Record<string, string> = chance(0.3) ? { 'accept-encoding': pick(CODINGS) } : {};
    if (chance(0.05)) headers['if-none-match'] = pick(['*', '"x"', 'W/"x"', '']);
    const method = chance(0.03) ? 'HEAD' : chance(0.01) ? pick(['POST', 'DELETE'] as const) : 'GET';
    if (chance(0.1)) return { method, operation: undefined, url: rpc(), headers };
    if (chance(0.02))
      return { method, operation: undefined, url: `/api/v1/${encodeURIComponent(pick(ABSURD))}`, headers };
    const operation = pick(operations);
    return {
      method,
      operation: operation.path,
      url: `/api/v1${operation.path}?${query(operation)}`,
      headers,
    };
  };
}
