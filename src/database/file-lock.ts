// Locks through an SQLite file. The system frees such a lock however the process ends.
import { chmodSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

/** @returns a function that frees the lock; undefined if another process holds it */
export function takeFileLock(path: string): (() => void) | undefined {
  const lock = new DatabaseSync(path, { timeout: 0 });
  try {
    chmodSync(path, 0o600);
    lock.exec('begin exclusive');
    return () => {
      if (lock.isOpen) lock.close();
    };
  } catch (error) {
    lock.close();
    if (error instanceof Error && error.message.includes('locked')) return undefined;
    throw error;
  }
}
