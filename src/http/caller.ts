// The caller of a request: its name in the log, the queues and the limits, and a signal for when it leaves.
import type { FastifyReply, FastifyRequest } from 'fastify';

const HAS_LEFT = new Error('The caller has left');

/** @returns a signal that aborts when the caller leaves or has its answer */
export function leavingOf({ raw }: Pick<FastifyRequest | FastifyReply, 'raw'>): AbortSignal {
  const leaving = new AbortController();
  const leave = () => leaving.abort(HAS_LEFT);
  if (raw.destroyed) leave();
  else raw.once('close', leave);
  return leaving.signal;
}

/** @returns the name of the caller's key. Without a key, its network, as reported by a trusted proxy if there is one */
export function callerName(request: FastifyRequest): string {
  return request.owner?.name ?? networkOf(request.ip ?? '');
}

/** @returns an IPv4 address as is; the /64 of an IPv6 address, because one caller can use all addresses in it */
export function networkOf(address: string): string {
  if (address.includes('.')) return address.slice(address.lastIndexOf(':') + 1); // also ::ffff:192.0.2.1
  if (!address.includes(':')) return address;
  const [head = '', tail = ''] = address.split('::').map((half) => half.split(':').filter(Boolean));
  const zeros = Array<string>(Math.max(0, 8 - head.length - tail.length)).fill('0');
  return `${[...head, ...zeros, ...tail].slice(0, 4).join(':')}::/64`;
}
