// The parts that all operations of the document share: headers and errors.
import { AppError, badParameter, publicError, type Refusal, TOOK_TOO_LONG } from '../../errors.ts';
import { Misdirected } from '../edge/host.ts';
import { NotAcceptable } from '../negotiation.ts';
import { publicProblem, RETRY_AFTER_SECONDS } from '../problem.ts';

export function header(description: string, type: 'string' | 'integer' = 'string') {
  return { description, schema: { type } };
}

/** By name, as operations refer to them. */
export const HEADERS = {
  'x-request-id': header('The id of the request, also in the log'),
  link: header('`<...>; rel="service-desc"`: this document'),
  'cache-control': header('Who may cache the answer, and for how long'),
  etag: header('A strong tag of these bytes. Send it as If-None-Match to get 304 while they are current'),
  'retry-after': header(`Seconds to wait: ${RETRY_AFTER_SECONDS}; for 429, until the limit ends`, 'integer'),
  'ratelimit-limit': header('Calls per minute that a caller may make, if limited', 'integer'),
  'ratelimit-remaining': header('Calls that this caller has left', 'integer'),
  'ratelimit-reset': header('Seconds until the full limit is available again', 'integer'),
  'www-authenticate': header('`Bearer`, and `error="invalid_token"` if a key was sent'),
};
type Header = keyof typeof HEADERS;

const headersNamed = (names: readonly Header[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

/** On every answer. */
const ALWAYS = ['x-request-id', 'cache-control', 'link'] as const;
/** On every answer except those of probes. */
export const RATE = ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset'] as const;

const EXAMPLE_ID = '82ccd7be-6f6b-4401-aeb9-e314ea289a1d';

function problem(description: string, error: AppError | Refusal, headers: readonly Header[] = []) {
  const example = publicProblem(error, EXAMPLE_ID);
  return {
    description,
    headers: headersNamed([...ALWAYS, ...headers]),
    content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' }, example } },
  };
}

/** By status, as operations refer to them. */
export const RESPONSES = {
  304: {
    description: 'The answer has not changed: If-None-Match has its tag',
    headers: headersNamed([...ALWAYS, 'etag', ...RATE]),
  },
  400: problem(
    'A parameter is bad, missing, unknown, empty or repeated, or the target is malformed',
    badParameter('from', 'must be earlier than `to`'),
    RATE,
  ),
  401: problem(
    'A key is required, but the request had none or an unknown one',
    new AppError('UNAUTHORIZED', 'The key is unknown'),
    ['www-authenticate'],
  ),
  406: problem(
    'Accept allows none of the media types, or Accept-Encoding none of the codings',
    new NotAcceptable('Accept', ['application/json']),
    RATE,
  ),
  421: problem('Host is not a name of this service', new Misdirected('audio.example.com')),
  429: problem(
    'The caller has made too many calls',
    new AppError('TOO_MANY_REQUESTS', 'A caller may make 600 calls a minute'),
    ['retry-after', ...RATE],
  ),
  500: problem('An error in the service', publicError(new Error())),
  503: problem(
    'The database cannot be reached, no connection became free in time, or too many requests are waiting',
    new AppError('SERVICE_UNAVAILABLE', 'The database cannot be reached'),
    ['retry-after'],
  ),
  504: problem('The query exceeded its time limit', new AppError('GATEWAY_TIMEOUT', TOOK_TOO_LONG)),
};

export const responsesOf = (statuses: readonly number[]) =>
  Object.fromEntries(statuses.map((status) => [status, { $ref: `#/components/responses/${status}` }]));

export const successHeaders = (isProbe: boolean, isTagged: boolean) =>
  headersNamed([...ALWAYS, ...(isTagged ? (['etag'] as const) : []), ...(isProbe ? [] : RATE)]);
