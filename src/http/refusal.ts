// Refusals that tRPC has no kind of error for.
import type { Problem } from '../contract/problem.ts';

/** A kind of error that tRPC does not have: a problem on both transports. */
export class Refusal extends Error {
  readonly status: number;
  readonly code: Problem['code'];

  constructor(status: number, code: Problem['code'], message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** 406 (RFC 9110, 15.5.7). */
export class NotAcceptable extends Refusal {
  constructor(header: 'Accept' | 'Accept-Encoding', available: readonly string[]) {
    super(406, 'NOT_ACCEPTABLE', `${header} allows nothing that is available: ${available.join(', ')}`);
  }
}
