// Content negotiation: chooses the available form of an answer that the caller prefers (RFC 9110, 12).
import type { FastifyReply, FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';
import { Refusal } from '../errors.ts';
import { CODINGS } from './codings.ts';

/** 406 (RFC 9110, 15.5.7). */
export class NotAcceptable extends Refusal {
  constructor(header: 'Accept' | 'Accept-Encoding', available: readonly string[], elsewhere = '') {
    const detail = `${header} allows nothing that is available: ${available.join(', ')}${elsewhere}`;
    super(406, 'NOT_ACCEPTABLE', detail);
  }
}

/**
 * @param types the first is the default for callers without Accept
 * @param elsewhere ends the message of a refusal: where other types are available
 */
export function chooseType(types: readonly string[], accept: string | undefined, elsewhere?: string): string {
  const type = accept ? new Negotiator({ headers: { accept } }).mediaType(types) : types[0];
  if (type === undefined) throw new NotAcceptable('Accept', types, elsewhere);
  return type;
}

const PLAIN = 'identity';

/** Negotiator's option `preferred`, which its types lack. */
interface Preferring {
  encodings(available: readonly string[], options: { preferred: readonly string[] }): string[];
}

/** @param accepted the Accept-Encoding header (RFC 9110, 12.5.3) */
export function chooseCoding(accepted = '') {
  const negotiator: Preferring = new Negotiator({ headers: { 'accept-encoding': accepted } });
  // `*` means gzip, which every client supports
  const named = CODINGS.filter((coding) => coding === 'gzip' || accepted.toLowerCase().includes(coding));
  const codings = negotiator.encodings([...named, PLAIN], { preferred: CODINGS });
  return {
    coding: CODINGS.find((coding) => coding === codings[0]),
    isPlainRefused: !codings.includes(PLAIN),
  };
}

export function refusesAllCodings({ headers }: FastifyRequest): boolean {
  const { coding, isPlainRefused } = chooseCoding(headers['accept-encoding']);
  return coding === undefined && isPlainRefused;
}

/** Declares that the answer depends on these request headers. */
export function vary(reply: FastifyReply, names: string): void {
  const others = reply.getHeader('vary');
  reply.header('vary', others ? `${others}, ${names}` : names);
}
