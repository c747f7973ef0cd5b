// For whom a request is: it names one host, and where no key is asked for, one that is known as this service.
//
// A page of another origin can have its own name lead to this machine (DNS rebinding). Its browser then takes what the
// service answers for the page's own, but still says the page's name as Host.
import { isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { AppError, Refusal } from '../../errors.ts';
import { guardedCalls, transportOf } from '../request-accounting.ts';
import { timesSent } from './times-sent.ts';

/** A host and perhaps a port (RFC 9110, 7.2): an address in brackets, an IPv4 address or a name (RFC 3986, 3.2.2). */
const AUTHORITY = /^(?:\[([\da-z:.%_~-]+)\]|([\w.~!$&'()*+,;=%-]*))(?::\d*)?$/i;

/** 421 (RFC 9110, 15.5.20). */
export class Misdirected extends Refusal {
  constructor(host: string) {
    super(
      421,
      'MISDIRECTED_REQUEST',
      `The service is not known as ${host === '' ? 'a host without a name' : `"${host.slice(0, 255)}"`}; ALLOWED_HOSTS can name it`,
    );
  }
}

/** @param allowed names that are answered beside `localhost` and addresses; undefined for all */
export function demandHost(allowed: readonly string[] | undefined): (request: FastifyRequest) => void {
  const names = allowed && new Set(allowed.map(nameOf));
  return (request) => {
    const host = hostOf(request);
    if (host === undefined || !names) return;
    const name = nameOf(host);
    if (!isLocal(name) && !names.has(name) && holdsPoints(request)) throw new Misdirected(name);
  };
}

/** @returns the host that a request names (RFC 9112, 3.2): of an absolute target its own, which comes before Host */
function hostOf({ raw, originalUrl }: FastifyRequest): string | undefined {
  const { host } = raw.headers;
  if (host === undefined && raw.httpVersion === '1.1')
    throw new AppError('BAD_REQUEST', 'The Host header is missing');
  if (timesSent(raw, 'host') > 1) throw new AppError('BAD_REQUEST', 'The Host header was sent twice');
  const own = host === undefined ? undefined : readAuthority(host);
  const [, authority] = /^https?:\/\/(?:[^/?#@]*@)?([^/?#]+)/i.exec(originalUrl) ?? [];
  return authority === undefined ? own : readAuthority(authority);
}

function readAuthority(text: string): string {
  const found = AUTHORITY.exec(text);
  if (!found) throw new AppError('BAD_REQUEST', 'The host is malformed');
  return found[1] ?? found[2] ?? '';
}

/** A name with a dot at its end is the same name. */
function nameOf(host: string): string {
  return host.toLowerCase().replace(/\.$/, '');
}

/** No DNS decides where these lead: not of addresses, of `localhost` by RFC 6761, 6.3, of `.local` by RFC 6762, 3. */
function isLocal(name: string): boolean {
  return isIP(name) !== 0 || name === 'localhost' || /\.local(host)?$/.test(name);
}

/** Probes say what host they like, and learn nothing that is measured. */
function holdsPoints(request: FastifyRequest): boolean {
  return guardedCalls(request) > 0 || transportOf(request) === 'docs';
}
