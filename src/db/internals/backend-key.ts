// The key of a connection: the process that serves it, and what it takes to cancel a statement there.
//
// Relies on pg 8.23: `Client#processID` and `Client#secretKey`, from PostgreSQL's message "BackendKeyData".
import type pg from 'pg';

/** @returns undefined where the connection is not open, or the server gave no key */
export function backendKeyOf(client: pg.ClientBase) {
  if (!('processID' in client && 'secretKey' in client)) return undefined;
  const { processID: processId, secretKey } = client;
  if (typeof processId !== 'number' || typeof secretKey !== 'number') return undefined;
  return { processId, secretKey };
}
