// What a service's refusal says, for the person who watches.
import { isServiceError } from '../client/index.ts';

/** @returns the message of an error, with every parameter that the service names and what is allowed */
export function sayError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const errors = isServiceError(error) ? (error.data.errors ?? []) : [];
  return [error.message, ...errors.map(({ parameter, detail }) => `${parameter} ${detail}`)].join('; ');
}

/** Whether a shorter interval may be answered: too many points, or too much time. */
export function isTooMuch(error: unknown): boolean {
  if (!isServiceError(error)) return false;
  const { code, errors = [] } = error.data;
  return code === 'GATEWAY_TIMEOUT' || errors.some(({ parameter }) => parameter === 'threshold');
}
