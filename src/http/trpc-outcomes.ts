// The calls of a request to /trpc: each ends with its answer or its error, in tRPC's envelope.
import { getTRPCErrorFromUnknown, TRPCError } from '@trpc/server';
import { getHTTPStatusCodeFromError } from '@trpc/server/http';
import { TRPC_ERROR_CODES_BY_KEY } from '@trpc/server/rpc';
import type { FastifyRequest } from 'fastify';
import type { WholeAnswer } from '../api/answers.ts';
import { ask, type Caller } from '../api/ask.ts';
import type { Operation } from '../api/operation.ts';
import { formatError } from '../api/trpc.ts';
import { publicError } from '../errors.ts';
import { answerJson } from './answer-text.ts';
import type { Keeping } from './cache-control.ts';
import { logFault } from './problem.ts';
import { noteCall } from './request-accounting.ts';
import type { Service } from './service.ts';

export interface Outcome {
  readonly text: string;
  readonly keeping: Keeping;
  readonly status: number;
}

export interface RpcCall {
  readonly name: string;
  /** Undefined where there is none of that name. */
  readonly operation: Operation | undefined;
  readonly input: unknown;
  readonly caller: Caller;
  readonly request: FastifyRequest;
}

/** Makes a call whose answer is whole; its error is an outcome too. */
export async function outcomeOf(call: RpcCall, service: Service): Promise<Outcome> {
  const { name, operation, input, caller, request } = call;
  const start = performance.now();
  const note = (status: number, answer?: WholeAnswer) => {
    const noted = noteCall(request, name, answer);
    if (noted) Object.assign(noted, { status, ms: performance.now() - start });
  };
  try {
    if (!operation)
      throw new TRPCError({ code: 'NOT_FOUND', message: `No procedure found on path "${name}"` });
    const question = operation.readCall(input);
    const answer = await ask(question, caller, service);
    if (answer.kind === 'file' || answer.kind === 'stream')
      throw new TRPCError({
        code: 'UNSUPPORTED_MEDIA_TYPE',
        message: 'Cannot use stream-like response in non-streaming request - use httpBatchStreamLink',
      });
    const text = `{"result":{"data":${answerJson(answer)}}}`;
    note(200, answer);
    const keeping = service.cacheControl.keeping(question, answer.value, caller.context.now);
    return { text, keeping, status: 200 };
  } catch (error) {
    const outcome = failed(error, request, name);
    note(outcome.status);
    return outcome;
  }
}

/** The outcome of an error, which is logged where it is the service's own. */
export function failed(cause: unknown, request: FastifyRequest, name: string): Outcome {
  const { status, shape } = failureOf(cause, request, name);
  return { text: JSON.stringify({ error: shape }), keeping: 'never', status };
}

/** @returns the status of an error and its shape for tRPC's clients; logs it where it is the service's own */
export function failureOf(cause: unknown, request: FastifyRequest, name: string) {
  const error = getTRPCErrorFromUnknown(cause);
  logFault(request, publicError(error));
  const { code, message } = error;
  const status = getHTTPStatusCodeFromError(error);
  const data = { code, httpStatus: status, path: name };
  return {
    status,
    shape: formatError({ shape: { message, code: TRPC_ERROR_CODES_BY_KEY[code], data }, error }),
  };
}
