// Detects that the embedded database has stopped: its session does not recover from some faults, such as a full disk.
import { statfsSync } from 'node:fs';
import { AppError } from '../../errors.ts';
import { codeOf } from '../faults.ts';

/** PostgreSQL extends its write-ahead log in files of this size. */
const LOG_FILE_BYTES = 16 * 1024 * 1024;

/** Every later query fails too, until the process restarts. Stored points are safe. */
export class DatabaseStopped extends AppError {
  constructor(cause: unknown) {
    super('SERVICE_UNAVAILABLE', 'The embedded database has stopped', { cause });
  }
}

export class WorkerEnded extends Error {}

/** Whether the session is lost: it has ended, or would answer later queries wrongly. */
export function isSessionLost(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  if (error instanceof WorkerEnded) return true;
  if ('severity' in error && error.severity === 'PANIC') return true; // a server would restart
  const code = codeOf(error);
  return code === '53100' || (code === '24000' && error.message.startsWith('cannot drop active portal'));
}

/** @returns the error; if the folder's disk is full, an error that reports this instead */
export function orFullDisk(error: unknown, folder: string | undefined): unknown {
  if (folder === undefined) return error;
  try {
    const { bavail, bsize } = statfsSync(folder);
    if (bavail * bsize >= LOG_FILE_BYTES) return error;
  } catch {
    return error;
  }
  return new Error(
    `the disk of ${folder} is full; make room or set DATA_DIR to a folder on another disk, and start again. Stored points are safe`,
  );
}

/** @returns why an existing database does not open, with the remedy */
export function whyClosed(error: unknown, folder: string): unknown {
  const known = orFullDisk(error, folder);
  if (known !== error || !(error instanceof Error)) return known;
  return new Error(`${error.message}; ${adviceOn(error.message, folder)}`, { cause: error });
}

function adviceOn(reason: string, folder: string): string {
  if (reason.includes('Read-only file system'))
    return 'mount its disk writable, or set DATA_DIR to a folder on another disk';
  if (/Permission denied|could not create lock file/.test(reason))
    return `make this user the owner of everything in the folder (chown -R ${process.getuid?.() ?? 'USER'} ${folder})`;
  return `the database is left unchanged. Move it away (mv ${folder} ${folder}.broken) and restore a backup (npm run restore), or start with an empty one`;
}
