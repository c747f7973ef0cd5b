// The target and the host of a request. A host must be sent once. Without keys, it must also be a known name of this
// service.
//
// A foreign page can point its own host name to this machine (DNS rebinding). The browser then lets the page read our
// answers, but still sends the page's name as Host.
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { AppError, Refusal } from '../../errors.ts';
import { guardedCalls, transportOf } from '../request-accounting.ts';

/** A host and perhaps a port (RFC 9110, 7.2): an address in brackets, an IPv4 address or a name (RFC 3986, 3.2.2). */
const AUTHORITY = /^(?:\[([\da-z:.%_~-]+)\]|([\w.~!$&'()*+,;=%-]*))(?::\d*)?$/i;

/** 421 (RFC 9110, 15.5.20). */
export class Misdirected extends Refusal {
  constructor(host: string) {
    super(
      421,
      'MISDIRECTED_REQUEST',
      `The service does not accept ${host === '' ? 'an empty host' : `the host "${host.slice(0, 255)}"`}; ALLOWED_HOSTS can add it`,
    );
  }
}

/** @param allowed names to accept besides `localhost` and addresses; undefined for all */
export function demandHost(allowed: readonly string[] | undefined): (request: FastifyRequest) => void {
  const names = allowed && new Set(allowed.map(nameOf));
  return (request) => {
    const host = hostOf(request);
    if (host === undefined || !names) return;
    const name = nameOf(host);
    if (!isLocal(name) && !names.has(name) && holdsPoints(request)) throw new Misdirected(name);
  };
}

/** @returns the host of a request (RFC 9112, 3.2): the host of an absolute target takes precedence over Host */
function hostOf({ raw, originalUrl }: FastifyRequest): string | undefined {
  const [host, second] = sentAs(raw, 'host');
  if (host === undefined && raw.httpVersion === '1.1')
    throw new AppError('BAD_REQUEST', 'The Host header is missing');
  if (second !== undefined) throw new AppError('BAD_REQUEST', 'The Host header was sent twice');
  const own = host === undefined ? undefined : readAuthority(host);
  const authority = ABSOLUTE.exec(originalUrl)?.[1];
  return authority === undefined ? own : readAuthority(authority);
}

/** All values of a header: Node takes the first one, but a proxy in front of the service may take the second. */
export const sentAs = ({ rawHeaders }: IncomingMessage, name: string) =>
  rawHeaders.filter((_, i) => i % 2 === 1 && rawHeaders[i - 1]?.toLowerCase() === name);

function readAuthority(text: string): string {
  const found = AUTHORITY.exec(text);
  if (!found) throw new AppError('BAD_REQUEST', 'The host is malformed');
  return found[1] ?? found[2] ?? '';
}

/** A trailing dot does not change a name. */
const nameOf = (host: string): string => host.toLowerCase().replace(/\.$/, '');

/** Hosts that DNS cannot redirect: addresses, `localhost` (RFC 6761, 6.3) and `.local` (RFC 6762, 3). */
const isLocal = (name: string) => isIP(name) !== 0 || name === 'localhost' || /\.local(host)?$/.test(name);

/** Probes may send any host, because their answers hold no measurements. */
const holdsPoints = (request: FastifyRequest) => guardedCalls(request) > 0 || transportOf(request) === 'docs';

/** A target in absolute form (RFC 9112, 3.2.2): its authority without user information, then its path and query. */
const ABSOLUTE = /^https?:\/\/(?:[^/?#@]*@)?([^/?#]+)([/?][^#]*)?$/i;

/** @returns the path and query of a target. Another target is returned as it is, and the router refuses it */
export function targetOf({ url = '/' }: { url?: string | undefined }): string {
  const absolute = ABSOLUTE.exec(url);
  if (!absolute) return url;
  const [, , rest = '/'] = absolute;
  return rest.startsWith('?') ? `/${rest}` : rest;
}

/** 400 for a fragment (RFC 9112, 3.2), and for a `%` in a decoded parameter, because tRPC decodes it again. */
export function demandTarget({ url, params }: FastifyRequest): void {
  if (url.includes('#') || Object.values<string>(Object(params)).some((value) => value.includes('%')))
    throw new AppError('BAD_REQUEST', 'The path may not contain # or an encoded %');
}
