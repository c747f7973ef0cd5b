// The caller of a request: its name, by bearer key (RFC 6750) or address; what its key may call; and when it leaves, or
// loses its key. Keys are checked before a body is read, and at each call.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { MAX_BATCH_SIZE } from '../../contract/batch-limits.ts';
import { DEFAULT_STATION } from '../../contract/station.ts';
import { AppError } from '../../errors.ts';
import type { Context } from '../../operations/context.ts';
import { routes } from '../../operations/internals/routes.ts';
import { unknown } from '../../operations/stations/stations.ts';
import { vary } from '../negotiation.ts';
import { guardedCalls, namesOf, transportOf } from '../request-accounting.ts';
import type { ApiKeys, KeyOwner } from './api-keys.ts';
import { sentAs } from './host.ts';

declare module 'fastify' {
  interface FastifyRequest {
    owner: KeyOwner | undefined;
  }
}

const HAS_LEFT = new Error('The caller has left');

const BEARER = /^bearer +([\w.~+/-]{1,512}=*)$/i;

/** @returns the owner of the request's key; undefined if it is not a current key, or if the service has no keys */
export function ownerOf({ raw }: FastifyRequest, keys: ApiKeys | undefined): KeyOwner | undefined {
  const [sent = '', second] = sentAs(raw, 'authorization');
  const key = BEARER.exec(sent)?.[1];
  return key !== undefined && second === undefined ? keys?.ownerOf(key) : undefined;
}

/** @returns a signal that aborts when the caller leaves or has its answer */
export function leavingOf({ raw }: Pick<FastifyRequest | FastifyReply, 'raw'>): AbortSignal {
  const leaving = new AbortController();
  const leave = () => leaving.abort(HAS_LEFT);
  if (raw.destroyed) leave();
  else raw.once('close', leave);
  return leaving.signal;
}

/** @returns the name of the caller's key. Without a key, its network, as reported by a trusted proxy if there is one */
export const callerName = (request: FastifyRequest) => request.owner?.name ?? networkOf(request.ip ?? '');

/** @returns an IPv4 address as is; the /64 of an IPv6 address, because one caller can use all addresses in it */
export function networkOf(address: string): string {
  if (address.includes('.')) return address.slice(address.lastIndexOf(':') + 1); // also ::ffff:192.0.2.1
  if (!address.includes(':')) return address;
  const [head = '', tail = ''] = address.split('::').map((half) => half.split(':').filter(Boolean));
  const zeros = Array<string>(Math.max(0, 8 - head.length - tail.length)).fill('0');
  return `${[...head, ...zeros, ...tail].slice(0, 4).join(':')}::/64`;
}

export function demandKey(request: FastifyRequest, reply: FastifyReply): void {
  if (guardedCalls(request) === 0) return;
  vary(reply, 'authorization');
  if (request.owner) return;
  const isTried = /^bearer\b/i.test(request.raw.headers.authorization ?? '');
  // RFC 6750, 3: no error code if the caller sent no key
  reply.header('www-authenticate', isTried ? 'Bearer error="invalid_token"' : 'Bearer');
  throw new AppError(
    'UNAUTHORIZED',
    isTried ? 'The key is unknown' : 'A key is required: send Authorization: Bearer KEY',
  );
}

/** Whether a caller may query a station. Without keys, everyone may. */
export const opens = (owner: KeyOwner | undefined, station: string) =>
  owner?.stations?.includes(station) ?? true;

export type Revocation = ReturnType<typeof createRevocation>;

export function createRevocation(keys: ApiKeys | undefined) {
  const underWay = new Map<FastifyRequest, () => void>();
  keys?.onChange?.(() => {
    for (const [request, end] of underWay) if (isRevoked(request, keys)) end();
  });
  return {
    /** From now on, a revocation resets the connection, so that a partial answer cannot look complete. */
    watch(request: FastifyRequest, { raw }: FastifyReply): void {
      if (!keys?.onChange || !request.owner) return;
      underWay.set(request, () => request.raw.socket.resetAndDestroy());
      raw.once('close', () => underWay.delete(request));
    },
    /** Sets another way to end a request. An event stream may simply end, because it is never complete. */
    endBy(request: FastifyRequest, end: () => void): void {
      if (underWay.has(request)) underWay.set(request, end);
    },
  };
}

function isRevoked(request: FastifyRequest, keys: ApiKeys): boolean {
  const { owner: before, station } = request;
  const now = ownerOf(request, keys);
  if (now?.name !== before?.name) return true;
  const isAboutAll = namesOf(request).some((name) => name.startsWith('stations.'));
  if (isAboutAll) return now?.stations !== undefined && !before?.stations?.every((name) => opens(now, name));
  return opens(before, station?.name) && !opens(now, station?.name);
}

/** Whether a key opens an operation of a station. Every key may query all-station operations at the root. */
export function mayCall(operation: string, owner: KeyOwner | undefined, station: string): boolean {
  const { isProbe = false, group } = routes.get(operation) ?? {};
  return isProbe || opens(owner, station) || (group === 'stations' && station === DEFAULT_STATION);
}

/** Admits, by the path that tRPC executes, each call that the edge has counted, once, if its caller has access. */
export function admitCalls(request: FastifyRequest, areKeysNeeded: boolean): Context['admit'] {
  const { owner, station } = request;
  const count = () => namesOf(request).slice(0, MAX_BATCH_SIZE);
  let counted = transportOf(request) === 'mcp' ? undefined : count(); // the body, which is read later, names the tool
  return (operation) => {
    counted ??= count();
    if (areKeysNeeded && !owner && !routes.get(operation)?.isProbe)
      throw new AppError('UNAUTHORIZED', 'A key is required: send Authorization: Bearer KEY');
    if (!mayCall(operation, owner, station.name)) throw unknown(station.name);
    const index = counted.indexOf(operation);
    if (index === -1) throw new AppError('BAD_REQUEST', `The request does not name ${operation}`);
    counted.splice(index, 1);
  };
}
