// Runs a command of the recorder against a database in memory, or a real one, and keeps its output.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect } from 'vitest';
import { strictly } from '../../src/cli/command-line.ts';
import type { Database } from '../../src/database/database.ts';
import { openKeys } from '../../src/http/edge/keys-file.ts';
import { importCommand } from '../../src/import/import-command.ts';
import { recordCommand } from '../../src/recorder/record.ts';
import type { RecorderIo } from '../../src/recorder/recorder-io.ts';
import { openSpool } from '../../src/recorder/storing/spool/spool.ts';
import { temporaryFolder } from '../process.ts';

export const NOW = '2026-11-20T12:00:00.000000Z';

export interface MemoryDatabase extends Database {
  /** The rows stored so far, as CSV. */
  rows: string[];
  closed: boolean;
}

/** A database that only accepts points; `refuse` runs before each store and may throw. */
export function memoryDatabase(refuse: () => void = () => {}): MemoryDatabase {
  const db: MemoryDatabase = {
    rows: [],
    closed: false,
    async query<Row>(): Promise<Row[]> {
      return [];
    },
    async transaction(work) {
      return work({
        run: async () => [],
        query: async () => [],
        async copy(csv) {
          refuse();
          const rows = csv.split('\n').slice(0, -1);
          db.rows.push(...rows);
          return rows.length;
        },
      });
    },
    async ready() {},
    async close() {
      db.closed = true;
    },
  };
  return db;
}

export interface Run {
  io: RecorderIo;
  db: MemoryDatabase;
  /** The lines of the result. */
  printed: string[];
  /** The lines of progress. */
  lines: string[];
  /** The status lines, each of which replaced the one before. */
  statuses: (string | undefined)[];
  abort: AbortController;
}

/** @param given.onto a database to use in place of one in memory; the command does not close it */
export function createRun(
  given: { stdin?: Readable | Buffer; db?: MemoryDatabase; onto?: Database; calibrationFile?: string } = {},
): Run {
  const db = given.db ?? memoryDatabase();
  const lines: string[] = [];
  const printed: string[] = [];
  const statuses: (string | undefined)[] = [];
  const abort = new AbortController();
  const stdin =
    given.stdin instanceof Readable ? given.stdin : Readable.from(given.stdin ? [given.stdin] : []);
  const spoolFolder = join(temporaryFolder(), 'spool');
  const io: RecorderIo = {
    station: 'default',
    at: () => io,
    openDatabase: async () => (given.onto ? { ...given.onto, close: async () => {} } : db),
    database: 'server',
    openSpool: async (folder) => openSpool(folder ?? spoolFolder, 'set DATA_DIR'),
    calibrationFile: given.calibrationFile ?? join(temporaryFolder(), 'calibration.json'),
    openTokens: async (path) => openKeys(path, { info() {}, warn() {} }, undefined, '--tokens'),
    storeChecks: async () => {},
    stdin,
    print: (line) => printed.push(line),
    progress: (line) => lines.push(line),
    warnOfLimits: async () => {},
    status: (line) => statuses.push(line),
    isTerminal: false,
    now: () => NOW,
    clock: () => Date.parse(NOW),
    signal: abort.signal,
  };
  return { io, db, printed, lines, statuses, abort };
}

export async function record(args: string[], io: RecorderIo): Promise<void> {
  await strictly(recordCommand(() => io)).parseAsync(args, { from: 'user' });
}

export async function importCsv(args: string[], io: RecorderIo): Promise<void> {
  await strictly(importCommand(() => io)).parseAsync(args, { from: 'user' });
}

type Given = Parameters<typeof createRun>[0];

/** Runs a command that must not fail. */
const ran = (command: typeof record) => async (args: string[], given?: Given) => {
  const run = createRun(given);
  await command(args, run.io);
  return run;
};
export const recorded = ran(record);
export const imported = ran(importCsv);

/** Runs a command that must fail without storing anything. @returns the message */
const refusedBy = (command: typeof record) => async (args: string[], given?: Given) => {
  const run = createRun(given);
  const message = await messageOf(command(args, run.io));
  expect([run.db.rows, run.printed]).toEqual([[], []]);
  return message;
};
export const refusedRecord = refusedBy(record);
export const refusedImport = refusedBy(importCsv);

/** A file that is removed after the test. */
export function file(content: string | Uint8Array, name = 'input'): string {
  const path = join(temporaryFolder(), name);
  writeFileSync(path, content);
  return path;
}

/** The message of a promise's rejection. */
export async function messageOf(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => 'no error',
    (error) => (error instanceof Error ? error.message : String(error)),
  );
}
