// The target of a request: its path and its authority, read once, and the spellings that are refused.
import type { FastifyRequest } from 'fastify';
import { AppError } from '../../errors.ts';

/** A target in absolute form (RFC 9112, 3.2.2): its authority without user information, then its path and query. */
export const ABSOLUTE = /^https?:\/\/(?:[^/?#@]*@)?([^/?#]+)([/?][^#]*)?$/i;

/** @returns the path and query of a target. Another target is returned as it is, and the router refuses it */
export function targetOf({ url = '/' }: { url?: string | undefined }): string {
  const absolute = ABSOLUTE.exec(url);
  if (!absolute) return url;
  const [, , rest = '/'] = absolute;
  return rest.startsWith('?') ? `/${rest}` : rest;
}

/**
 * 400 for a fragment, which no target may have (RFC 9112, 3.2), and for a `%` that is left in a decoded parameter,
 * because tRPC decodes its parameter again.
 */
export function demandTarget({ url, params }: FastifyRequest): void {
  if (url.includes('#') || Object.values<string>(Object(params)).some((value) => value.includes('%')))
    throw new AppError('BAD_REQUEST', 'The path may not contain # or an encoded %');
}
