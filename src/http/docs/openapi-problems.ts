// The errors of the operations, as the document describes them.
import type { Failure } from '../../api/operation.ts';
import type { Problem } from '../../contract/problem.ts';
import { AppError, badParameter, publicError, TOOK_TOO_LONG } from '../../errors.ts';
import { Misdirected } from '../edge/host.ts';
import {
  problem as bodyOf,
  NotAcceptable,
  problemOf,
  RETRY_AFTER_SECONDS,
  type Refusal,
} from '../problem.ts';

export function header(description: string) {
  return { description, schema: { type: 'string' as const } };
}

export const REQUEST_ID = header('The id of the request, also in the log');

const EXAMPLE_ID = '82ccd7be-6f6b-4401-aeb9-e314ea289a1d';

export const ERRORS: Record<Failure, object> = {
  BAD_REQUEST: problem(
    'A parameter is bad, missing, unknown, empty or given twice',
    badParameter('from', 'must be earlier than to'),
  ),
  INTERNAL_SERVER_ERROR: problem('An error of the service', publicError(new Error())),
  SERVICE_UNAVAILABLE: problem(
    'The database cannot be reached, or no connection became free in time',
    new AppError('SERVICE_UNAVAILABLE', 'The database cannot be reached'),
    {
      'retry-after': {
        description: `Seconds to wait: ${RETRY_AFTER_SECONDS}`,
        schema: { type: 'integer' as const },
      },
    },
  ),
  GATEWAY_TIMEOUT: problem(
    'The query went over its time limit',
    new AppError('GATEWAY_TIMEOUT', TOOK_TOO_LONG),
  ),
};

function problem(description: string, error: AppError, headers: object = {}) {
  return described(description, problemOf(error, EXAMPLE_ID), headers);
}

function described(description: string, example: Problem, headers: object = {}) {
  const schema = { $ref: '#/components/schemas/Problem' };
  return {
    description,
    headers: { 'x-request-id': REQUEST_ID, ...headers },
    content: { 'application/problem+json': { schema, example } },
  };
}

export const UNAUTHORIZED = problem(
  'A key is needed, and none or none that is known was sent',
  new AppError('UNAUTHORIZED', 'The key is not known'),
  { 'www-authenticate': header('`Bearer`, and `error="invalid_token"` where a key was sent') },
);

export function notAcceptableOf(types: readonly string[]) {
  return refused(
    'Accept allows none of the media types, or Accept-Encoding no coding that there is',
    new NotAcceptable('Accept', types),
  );
}

export const MISDIRECTED = refused(
  'Host names another than this service',
  new Misdirected('audio.example.com'),
);

function refused(description: string, { status, message, code }: Refusal) {
  return described(description, bodyOf(status, message, code, EXAMPLE_ID));
}
