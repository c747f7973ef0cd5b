// What a fault of the database means to a caller. Both drivers explain what they catch.
import { AppError, TOOK_TOO_LONG } from '../errors.ts';

const UNKNOWN_AUTHORITY = 'name the file of its authority as sslrootcert in the URL';

/** SQLSTATEs and socket errors after which a later attempt may succeed, and what to do; null where all is said. */
export const UNREACHABLE: ReadonlyMap<string, string | null> = new Map([
  ['ECONNREFUSED', 'nothing listens there; check host and port in the URL, and that the server runs'],
  ['ECONNRESET', null],
  ['ECONNABORTED', null],
  ['EHOSTUNREACH', 'no way leads to that host'],
  ['ENETUNREACH', 'no way leads to that network'],
  ['ENOTFOUND', 'no such host; check its name in the URL'],
  ['EAI_AGAIN', 'the name of the host cannot be looked up now'],
  ['ENOENT', 'no server has that socket'],
  ['EPIPE', null],
  ['ETIMEDOUT', null],
  ['EMFILE', null], // this process has too many files open
  ['ENFILE', null], // this machine has
  ['28P01', 'check user and password in the URL; a password may stand in PGPASSWORD instead, as it is'],
  ['28000', 'the server does not let this user in from here; see its pg_hba.conf'],
  ['57P01', null], // the server is shut down
  ['57P02', null], // another backend crashed
  ['57P03', 'the server is starting or stopping'],
  ['53300', 'raise max_connections of the server, or lower POOL_SIZE'],
  ['3D000', 'create it, or name another in the URL'], // no such database, yet
  ['DEPTH_ZERO_SELF_SIGNED_CERT', UNKNOWN_AUTHORITY], // the connection is not to be trusted
  ['SELF_SIGNED_CERT_IN_CHAIN', UNKNOWN_AUTHORITY],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', UNKNOWN_AUTHORITY],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', UNKNOWN_AUTHORITY],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'the certificate is for another name; check the host in the URL'],
  ['CERT_HAS_EXPIRED', 'renew the certificate of the server'],
]);
/** The library of an extension is gone: an update of its package put another in its place. */
const LIBRARY_GONE = /"\$libdir\//;
const UNREACHABLE_CLASSES = ['08', '28']; // connection faults; a refused login
const OVER_TIME = new Set(['57014', '55P03']);
const NOT_MIGRATED = new Set(['42P01', '42703', '42883', '3F000']);
const RETRY = new Set(['40001', '40P01']);

const LOST =
  /^(Connection terminated|The server broke|received invalid response|Client has encountered a connection error|Client was closed|timeout expired|Cannot use a pool after|The server does not support SSL|SASL: SCRAM-SERVER-FIRST-MESSAGE: client password)/;

/** The connection broke, or its server does not serve now: another connection may reach one that does. */
const BROKEN = new Set(['ECONNRESET', 'EPIPE', 'ECONNREFUSED', '57P01', '57P03']);

/** What a session says that has looked up what is no more, or has the library of another version loaded. Untranslated. */
const STALE =
  /^could not open relation with OID|^cache lookup failed for|already (been )?loaded with (a different|another) version/;

/** @returns the SQLSTATE, or the code of a socket or of TLS; '' where it has none */
export function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : '';
}

/** Whether the session is of yesterday: the database has changed under it, as by an update of an extension. */
export function isStale(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const isOldPlan = 'routine' in error && error.routine === 'RevalidateCachedQuery';
  return isOldPlan || STALE.test(error.message);
}

export const isLibraryGone = (error: Error) => codeOf(error) === '58P01' && LIBRARY_GONE.test(error.message);

/** An internal error of the server (class XX), which another session may not have. */
export const isInternal = (error: unknown) => error instanceof Error && codeOf(error).startsWith('XX');

/** Whether the server refused or ended the statement only: the session can be used again. */
export function isOfStatement(error: Error): boolean {
  return 'severity' in error && error.severity === 'ERROR' && !isStale(error) && !isInternal(error);
}

/**
 * Whether the same read may succeed the next time, on another connection: its own broke or is of no use, or a replica
 * ended it, because it held up what the replica replays (PostgreSQL, "Handling Query Conflicts").
 */
export function isPassing(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof AppError) return isPassing(error.cause);
  const code = codeOf(error);
  if (RETRY.has(code) || BROKEN.has(code) || isStale(error)) return true;
  return /^(Connection term|Client has encountered a conn)/.test(error.message);
}

/** Whether a later attempt may succeed: the database is away, or another has what is needed. */
export const isAway = (error: unknown) =>
  error instanceof AppError && (error.code === 'SERVICE_UNAVAILABLE' || error.code === 'GATEWAY_TIMEOUT');

/** The server sent nothing for too long: it is dead, or hangs. */
export const SILENT = 'The database was silent for too long';

/** What came is not PostgreSQL's protocol. */
export const BROKEN_PROTOCOL = "The server broke PostgreSQL's protocol";

/** Another process has the folder of the embedded database. */
export class FolderInUse extends Error {}

/** The schema is older than this version, or missing. The service does not start on such a database. */
export class NotMigrated extends AppError {
  constructor(state: string, options: { cause?: unknown } = {}) {
    super(
      'SERVICE_UNAVAILABLE',
      `${state}. Run \`npm run migrate\` against it as the owner of the schema`,
      options,
    );
  }
}

/** What to do about the faults of a connection pooler, for the log. */
const GIVEN_AWAY =
  'A connection pooler gives the sessions of the service to others: let it pool sessions, or, from PgBouncer 1.21 on, set max_prepared_statements above 0';
const POOLER: Readonly<Record<string, string>> = {
  '08P01':
    'The connection was refused for what it asked. Behind PgBouncer, take a parameter that it does not know out of DATABASE_URL, or name it in ignore_startup_parameters',
  '26000': GIVEN_AWAY,
  '42P05': GIVEN_AWAY,
};

/**
 * @returns the `AppError` for a known kind of fault, with its cause for the log; any other fault as it came,
 *   which is answered as an internal error
 */
export function explain(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof AppError) return error;
  const code = codeOf(error);
  const as = (kind: 'SERVICE_UNAVAILABLE' | 'GATEWAY_TIMEOUT', message: string) =>
    new AppError(kind, message, { cause: error });

  const advice = POOLER[code];
  if (advice)
    return new AppError('SERVICE_UNAVAILABLE', 'The database cannot be reached', {
      cause: new Error(advice, { cause: error }),
    });
  if (error.message === 'timeout exceeded when trying to connect')
    return as('SERVICE_UNAVAILABLE', 'No database connection became free in time');
  if (OVER_TIME.has(code) || error.message === SILENT) return as('GATEWAY_TIMEOUT', TOOK_TOO_LONG);
  if (NOT_MIGRATED.has(code))
    return new NotMigrated('The database lacks a part of the schema', { cause: error });
  if (RETRY.has(code) || isStale(error))
    return as('SERVICE_UNAVAILABLE', 'The database was busy changing; try again');
  const isRefused = 'severity' in error && error.severity === 'FATAL'; // or ended: there is no session any more
  if (
    isRefused ||
    UNREACHABLE.has(code) ||
    UNREACHABLE_CLASSES.includes(code.slice(0, 2)) ||
    isLibraryGone(error) ||
    LOST.test(error.message)
  )
    return as('SERVICE_UNAVAILABLE', 'The database cannot be reached');
  return error;
}
