// Translates database faults for clients. Both drivers pass every fault they catch through here.
import { AppError, TOOK_TOO_LONG } from '../errors.ts';
import type { Database } from './database.ts';

const UNKNOWN_AUTHORITY = 'name the file of its authority as sslrootcert in the URL';

/** SQLSTATEs and socket errors after which a retry may succeed, with the remedy; null if the message needs none. */
export const UNREACHABLE: ReadonlyMap<string, string | null> = new Map([
  ['ECONNREFUSED', 'nothing listens there; check host and port in the URL, and whether the server runs'],
  ['ECONNRESET', null],
  ['ECONNABORTED', null],
  ['EHOSTUNREACH', 'there is no route to that host'],
  ['ENETUNREACH', 'there is no route to that network'],
  ['ENOTFOUND', 'no such host; check its name in the URL'],
  ['EAI_AGAIN', 'the host name cannot be resolved now'],
  ['ENOENT', 'no server listens on that socket'],
  ['EPIPE', null],
  ['ETIMEDOUT', null],
  ['EMFILE', null], // this process has too many open files
  ['ENFILE', null], // this machine has too many
  ['28P01', 'check user and password in the URL; you can also put the unescaped password in PGPASSWORD'],
  ['28000', 'the server refuses this user from this host; see its pg_hba.conf'],
  ['57P01', null], // the server is shutting down
  ['57P02', null], // another backend crashed
  ['57P03', 'the server is starting or stopping'],
  ['53300', 'raise max_connections of the server, or lower POOL_SIZE'],
  ['3D000', 'create it, or name another in the URL'], // no such database yet
  ['DEPTH_ZERO_SELF_SIGNED_CERT', UNKNOWN_AUTHORITY], // the rest: certificates that cannot be trusted
  ['SELF_SIGNED_CERT_IN_CHAIN', UNKNOWN_AUTHORITY],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', UNKNOWN_AUTHORITY],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', UNKNOWN_AUTHORITY],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'the certificate is for another name; check the host in the URL'],
  ['CERT_HAS_EXPIRED', 'renew the certificate of the server'],
]);
/** An extension's library is missing, because a package update replaced it. */
const LIBRARY_GONE = /"\$libdir\//;
const UNREACHABLE_CLASSES = ['08', '28']; // connection faults; a refused login
const OVER_TIME = new Set(['57014', '55P03']);
const NOT_MIGRATED = new Set(['42P01', '42703', '42883', '3F000']);
/** PostgreSQL's read_only_sql_transaction: a standby's answer to a write. */
const READ_ONLY = '25006';
/** What commands that write say on a standby: a replica that is read-only until a failover makes it the primary. */
export const STANDBY =
  'This server is read-only, as a standby is: set DATABASE_URL, or MIGRATION_DATABASE_URL, to the primary';
const RETRY = new Set(['40001', '40P01']);

const LOST =
  /^(Connection terminated|The server broke|received invalid response|Client has encountered a connection error|Client was closed|timeout expired|Cannot use a pool after|The server does not support SSL|SASL: SCRAM-SERVER-FIRST-MESSAGE: client password)/;

/** The connection broke, or its server cannot serve now: another connection may reach a server that can. */
const BROKEN = new Set(['ECONNRESET', 'EPIPE', 'ECONNREFUSED', '57P01', '57P03']);

/** Errors of a session with stale catalog lookups or an outdated library. PostgreSQL does not translate them. */
const STALE =
  /^could not open relation with OID|^cache lookup failed for|already (been )?loaded with (a different|another) version/;

/** @returns the SQLSTATE, or the code of a socket or TLS error; '' if there is none */
export const codeOf = (error: Error) => ('code' in error && typeof error.code === 'string' ? error.code : '');

/** Whether PostgreSQL cannot read a text as an interval, or the interval is too long. */
export const isBadInterval = (error: unknown) =>
  error instanceof Error && /^220(07|08|15)$/.test(codeOf(error));

/** Whether the session is stale: the database changed under it, for example by an update of an extension. */
export function isStale(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const isOldPlan = 'routine' in error && error.routine === 'RevalidateCachedQuery';
  return isOldPlan || STALE.test(error.message);
}

export const isLibraryGone = (error: Error) => codeOf(error) === '58P01' && LIBRARY_GONE.test(error.message);

/** An internal error of the server (class XX): another session may be unaffected. */
export const isInternal = (error: unknown) => error instanceof Error && codeOf(error).startsWith('XX');

/** Whether the database rejects the rows themselves: data exceptions, and violated constraints. */
export function isRefusal(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  // Citus passes on what a worker says about a COPY, without its SQLSTATE
  const isOfWorker = 'routine' in error && error.routine === 'ReportCopyError';
  return /^2[23]/.test(codeOf(error)) || (isOfWorker && error.message.includes(' violates '));
}

/** Whether the server refused or ended only the statement, so that the session remains usable. */
export const isOfStatement = (error: Error): boolean =>
  'severity' in error && error.severity === 'ERROR' && !isStale(error) && !isInternal(error);

/**
 * Whether the same read may succeed on another connection: this connection broke or is stale, or a replica cancelled
 * the read because it delayed the replay (PostgreSQL, "Handling Query Conflicts").
 */
export function isPassing(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof AppError) return isPassing(error.cause);
  const code = codeOf(error);
  if (RETRY.has(code) || BROKEN.has(code) || isStale(error)) return true;
  return /^(Connection term|Client has encountered a conn)/.test(error.message);
}

/** Whether a later attempt may succeed: the database is away, or another server has what the query needs. */
export const isAway = (error: unknown) =>
  error instanceof AppError && (error.code === 'SERVICE_UNAVAILABLE' || error.code === 'GATEWAY_TIMEOUT');

const UNREACHED = 'The database cannot be reached';

/** The fault of queries for a frozen server of several: see servers.ts. */
export const FROZEN = "The station's server does not answer; try again";

/** Whether nothing answers, or the server refuses this user: no query can succeed until that changes. */
export const isUnreachable = (error: unknown) =>
  error instanceof AppError && (error.message === UNREACHED || error.message === FROZEN);

/** The server sent nothing for too long: it is dead or hangs. */
export const SILENT = 'The database was silent for too long';

/** The bytes received are not PostgreSQL's protocol. */
export const BROKEN_PROTOCOL = "The server broke PostgreSQL's protocol";

/** Another process holds the folder of the embedded database. */
export class FolderInUse extends Error {}

/** The schema is missing or older than this version. The service does not start on such a database. */
export class NotMigrated extends AppError {
  constructor(state: string, options: { cause?: unknown } = {}) {
    super(
      'SERVICE_UNAVAILABLE',
      `${state}. Run \`npm run migrate\` against it as the owner of the schema`,
      options,
    );
  }
}

/** Remedies for faults of a connection pooler, for the log. */
const GIVEN_AWAY =
  'A connection pooler lends the sessions of the service to other clients: use session pooling, or, from PgBouncer 1.21 on, set max_prepared_statements above 0';
const POOLER: Readonly<Record<string, string>> = {
  '08P01':
    'The server refused a connection parameter. Behind PgBouncer, remove the unknown parameter from DATABASE_URL, or list it in ignore_startup_parameters',
  '26000': GIVEN_AWAY,
  '42P05': GIVEN_AWAY,
};

/** @returns an `AppError` with its cause for a known kind of fault; any other fault unchanged, as an internal error */
export function explain(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof AppError) return error;
  const code = codeOf(error);
  const as = (kind: 'SERVICE_UNAVAILABLE' | 'GATEWAY_TIMEOUT', message: string) =>
    new AppError(kind, message, { cause: error });

  const advice = POOLER[code];
  if (advice)
    return new AppError('SERVICE_UNAVAILABLE', UNREACHED, { cause: new Error(advice, { cause: error }) });
  if (error.message === 'timeout exceeded when trying to connect')
    return as('SERVICE_UNAVAILABLE', 'No database connection became free in time');
  if (code === READ_ONLY) return new Error(STANDBY, { cause: error });
  if (OVER_TIME.has(code) || error.message === SILENT) return as('GATEWAY_TIMEOUT', TOOK_TOO_LONG);
  if (NOT_MIGRATED.has(code))
    return new NotMigrated('The database lacks a part of the schema', { cause: error });
  if (RETRY.has(code) || isStale(error))
    return as('SERVICE_UNAVAILABLE', 'The database was busy with a change; try again');
  const isRefused = 'severity' in error && error.severity === 'FATAL'; // refused or ended
  if (
    isRefused ||
    UNREACHABLE.has(code) ||
    UNREACHABLE_CLASSES.includes(code.slice(0, 2)) ||
    isLibraryGone(error) ||
    LOST.test(error.message)
  )
    return as('SERVICE_UNAVAILABLE', UNREACHED);
  return error;
}

/** @throws what `work` throws, after closing everything */
export const closedOnFault = <Result>(work: Promise<Result>, ...opened: Pick<Database, 'close'>[]) =>
  work.catch(async (error) => {
    for (const each of new Set(opened)) await each.close();
    throw error;
  });
