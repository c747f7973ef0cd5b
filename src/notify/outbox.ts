// The outbox: messages that wait for their receivers, and the progress of each receiver and of each station's watch. It
// is a SQLite file: one transaction stores the progress of a watch and its messages.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Message } from '../contract/messages.ts';

/** A message is dropped if a receiver has not accepted it within this time, in milliseconds. */
export const GIVEN_UP_MS = 86_400_000;

const SCHEMA = `
  pragma locking_mode = exclusive;
  pragma journal_mode = wal;
  pragma synchronous = full;
  begin exclusive;
  create table if not exists station (name text primary key, progress text not null) strict;
  create table if not exists message (seq integer primary key autoincrement, at real not null, body text not null) strict;
  create table if not exists receiver (key text primary key, seq integer not null) strict;
  commit;`;

export type Outbox = ReturnType<typeof openOutbox>;

/**
 * @param folder created if it is missing
 * @param receivers the keys of all receivers. New ones get only later messages; those missing here are forgotten
 * @param now in milliseconds since 1970
 * @throws Error with a remedy if another process uses the folder, or if the file is unusable
 */
export function openOutbox(folder: string, receivers: readonly string[], now = Date.now) {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const db = openFile(join(folder, 'outbox.sqlite'));
  const keys = JSON.stringify(receivers);
  db.prepare('delete from receiver where key not in (select value from json_each(?))').run(keys);
  db.prepare(
    `insert into receiver select value, coalesce((select max(seq) from sqlite_sequence), 0) from json_each(?)
     where true on conflict do nothing`,
  ).run(keys);
  const progressOf = db.prepare('select progress from station where name = ?');
  const setProgress = db.prepare(
    'insert into station values (?, ?) on conflict (name) do update set progress = excluded.progress',
  );
  const forget = db.prepare('delete from station where name = ?');
  const add = db.prepare('insert into message (at, body) values (?, ?)');
  const next = db.prepare(
    'select seq, at, body from message where seq > (select seq from receiver where key = ?) order by seq limit 1',
  );
  const taken = db.prepare('update receiver set seq = ? where key = ?');
  const clean = db.prepare('delete from message where seq <= (select min(seq) from receiver)');
  return {
    /** The progress of a station's watch, as {@link keep} stored it; undefined if it has none. */
    progressOf(station: string): unknown {
      const { progress } = progressOf.get(station) ?? {};
      return typeof progress === 'string' ? JSON.parse(progress) : undefined;
    },

    /** Stores messages of a station for all receivers, and the progress of its watch. */
    keep(station: string, progress: object, messages: readonly Message[]): void {
      db.exec('begin');
      try {
        for (const message of messages) add.run(now(), JSON.stringify(message));
        setProgress.run(station, JSON.stringify(progress));
        db.exec('commit');
      } finally {
        if (db.isTransaction) db.exec('rollback');
      }
    },

    /** Forgets a removed station: a new one may get its name. */
    forget: (station: string) => void forget.run(station),

    /** The oldest message that a receiver has not accepted, until when (in ms since 1970) it is kept; undefined if none. */
    nextFor(receiver: string) {
      const { seq, at, body } = next.get(receiver) ?? {};
      if (typeof body !== 'string') return undefined;
      const message: Message = JSON.parse(body);
      return { seq: Number(seq), message, until: Number(at) + GIVEN_UP_MS };
    },

    done(receiver: string, seq: number): void {
      taken.run(seq, receiver);
      clean.run();
    },

    close: () => db.close(),
  };
}

function openFile(path: string): DatabaseSync {
  const db = new DatabaseSync(path, { timeout: 0 });
  try {
    db.exec(SCHEMA);
    return db;
  } catch (error) {
    db.close();
    const isLocked = error instanceof Error && error.message.includes('locked');
    const reason = isLocked
      ? 'is in use by another process that notifies: set DATA_DIR to another folder'
      : 'cannot be used: move it away, or set DATA_DIR to another folder';
    throw new Error(`${path} ${reason}`, { cause: error });
  }
}
