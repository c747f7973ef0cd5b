// The embedded database that has stopped: a fault, a full disk most of all, from which its session does not come back.
import { statfsSync } from 'node:fs';
import { AppError } from '../errors.ts';

/** PostgreSQL takes files of this size for its log. */
const LOG_FILE_BYTES = 16 * 1024 * 1024;

/** Every later question fails too, until the process starts anew. What was stored before is safe. */
export class DatabaseStopped extends AppError {
  constructor(cause: unknown) {
    super('SERVICE_UNAVAILABLE', 'The embedded database has stopped', { cause });
  }
}

/** @returns whether the session is lost: it then gives wrong answers to what is asked next */
export function isSessionLost(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? error.code : undefined;
  return code === '53100' || (code === '24000' && error.message.startsWith('cannot drop active portal'));
}

/** @returns an error that says so, where the disk is full; else the error as it came */
export function orFullDisk(error: unknown, folder: string | undefined): unknown {
  if (folder === undefined) return error;
  try {
    const { bavail, bsize } = statfsSync(folder);
    if (bavail * bsize >= LOG_FILE_BYTES) return error;
  } catch {
    return error;
  }
  return new Error(
    `the disk of ${folder} is full; make room or set DATA_DIR to a folder elsewhere, and start again. What was stored before is kept`,
  );
}
