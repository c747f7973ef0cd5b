// Why a database cannot be reached, in words for the operator. Callers are never told.
import { codeOf } from './faults.ts';

const UNKNOWN_AUTHORITY = 'name the file of its authority as sslrootcert in the URL';

/** What to do about it, by the code of the error. */
const ADVICE: Readonly<Record<string, string>> = {
  '28P01': 'check user and password in the URL',
  '28000': 'the server does not let this user in from here; see its pg_hba.conf',
  '3D000': 'create it, or name another in the URL',
  '53300': 'raise max_connections of the server, or lower POOL_SIZE',
  '57P03': 'the server is starting or stopping',
  ECONNREFUSED: 'nothing listens there; check host and port in the URL, and that the server runs',
  ENOTFOUND: 'no such host; check its name in the URL',
  EAI_AGAIN: 'the name of the host cannot be looked up now',
  EHOSTUNREACH: 'no way leads to that host',
  ENETUNREACH: 'no way leads to that network',
  ENOENT: 'no server has that socket',
  DEPTH_ZERO_SELF_SIGNED_CERT: UNKNOWN_AUTHORITY,
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_AUTHORITY,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_AUTHORITY,
  ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate is for another name; check the host in the URL',
  CERT_HAS_EXPIRED: 'renew the certificate of the server',
};

/** What messages of pg without a code mean, and what to do. */
const WORDS: readonly [RegExp, string][] = [
  [
    /timeout expired|timeout exceeded when trying to connect|due to connection timeout/,
    'the server did not answer in time; check host and port in the URL, and firewalls',
  ],
  [/client password must be a(?: non-empty)? string/, 'the server asks for a password; the URL has none'],
  [
    /does not support SSL/,
    'the server does not support TLS; leave sslmode out of the URL, or turn it on there',
  ],
];

/** @returns why a database could not be asked, and what to do */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const [, words] = WORDS.find(([pattern]) => pattern.test(error.message)) ?? [];
  if (words !== undefined) return words;
  if (error.cause instanceof Error) return reasonOf(error.cause);
  // a host with several addresses: each refused for a reason of its own
  if (error instanceof AggregateError) return Array.from(new Set(error.errors.map(reasonOf))).join('; ');
  const advice = ADVICE[codeOf(error)];
  return advice === undefined ? error.message : `${error.message}: ${advice}`;
}
