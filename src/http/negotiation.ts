// Content negotiation: which of the answers that there are a caller likes best (RFC 9110, 12).
import type { FastifyReply, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import Negotiator from 'negotiator';
import { CODINGS, type Coding } from './codings.ts';

/** Callers send few texts, each again and again: so many are read once. */
const REMEMBERED = 100;

function remembering<Choice>(read: (header: string) => Choice): (header: string) => Choice {
  const choices = new LRUCache<string, { readonly choice: Choice }>({
    max: REMEMBERED,
    memoMethod: (header) => ({ choice: read(header) }),
  });
  return (header) => choices.memo(header).choice;
}

/**
 * @param types media types; the first is the one for callers who do not say what they accept
 * @returns what chooses the one that an Accept header likes best, undefined where it allows none
 */
export function createTypeChooser(types: readonly string[]) {
  const choose = remembering((accept) => new Negotiator({ headers: { accept } }).mediaType(types));
  return (accept: string | undefined) => (accept ? choose(accept) : types[0]);
}

interface ChosenCoding {
  /** The one that the caller likes best; undefined where that is none. */
  readonly coding: Coding | undefined;
  /** Whether the caller takes no answer as it is. */
  readonly isPlainRefused: boolean;
}

const PLAIN = 'identity';

/** Negotiator's option `preferred`, which its types lack. */
interface Preferring {
  encodings(available: readonly string[], options: { preferred: readonly string[] }): string[];
}

const choose = remembering((header): ChosenCoding => {
  const negotiator: Preferring = new Negotiator({ headers: { 'accept-encoding': header } });
  // `*` stands for gzip, which everything reads
  const named = CODINGS.filter((coding) => coding === 'gzip' || header.toLowerCase().includes(coding));
  const accepted = negotiator.encodings([...named, PLAIN], { preferred: CODINGS });
  return {
    coding: CODINGS.find((coding) => coding === accepted[0]),
    isPlainRefused: !accepted.includes(PLAIN),
  };
});

/** @param accepted the Accept-Encoding header (RFC 9110, 12.5.3) */
export function chooseCoding(accepted = ''): ChosenCoding {
  return choose(accepted);
}

/** Whether a request takes neither a coding that there is nor a plain answer. */
export function refusesAllCodings({ headers }: FastifyRequest): boolean {
  const { coding, isPlainRefused } = chooseCoding(headers['accept-encoding']);
  return coding === undefined && isPlainRefused;
}

/** Says that with other values of these headers there could have been another answer. */
export function vary(reply: FastifyReply, names: string): void {
  const others = reply.getHeader('vary');
  reply.header('vary', others ? `${others}, ${names}` : names);
}
