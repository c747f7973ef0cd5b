// Reads what a COPY to standard output sends, without an object for each row.
//
// Each row is a message: a letter, a length, the line (PostgreSQL's protocol, chapter "Message Formats"). pg, and
// every stream on top of it, makes an object of each. This takes pg's place at the socket while the COPY runs. It
// passes on to pg whatever is not a line: the head of the answer, its end, errors, notices.
import { Readable } from 'node:stream';
import type { Connection, Submittable } from 'pg';
import { BROKEN_PROTOCOL } from './faults.ts';

/** The letter of a message that holds a line: d, for CopyData. */
const COPY_DATA = 100;

/** The letter, and four bytes of length, which counts itself and what follows. */
const HEAD_BYTES = 5;

/** What the next bytes are: the head of a message, the rest of a line, or the rest of a message for pg. */
const HEAD = 0;
const LINE = 1;
const OTHER = 2;

interface CopyOut {
  /** What `client.query` takes, with what pg calls on it. */
  readonly query: Submittable & { handleError(error: Error): void; handleReadyForQuery(): void };
  /** The lines in pieces that may end anywhere. A server whose lines are not read is kept waiting. */
  readonly lines: Readable;
}

export function createCopyOut(text: string): CopyOut {
  let [resume, leave] = [() => {}, () => {}];
  const lines = new Readable({ objectMode: true, highWaterMark: 2, read: () => resume() }); // in byte mode it would join them

  function submit(connection: Connection): void {
    const socket = connection.stream;
    const pass = onlyListener(socket);
    let left = false;
    let state = HEAD;
    let missing = 0; // bytes of the message still to come
    let begun: Buffer = Buffer.of(); // the part of a head that has come

    function take(piece: Buffer): void {
      const bytes = begun.length > 0 ? Buffer.concat([begun, piece]) : piece;
      let [given, end] = [0, 0]; // the lines to hand over lie between these
      let at = 0;
      const give = () => {
        if (end > given && !lines.push(bytes.subarray(given, end))) socket.pause();
        given = end;
      };
      while (at < bytes.length) {
        if (state === HEAD) {
          if (at + HEAD_BYTES > bytes.length) break;
          state = bytes[at] === COPY_DATA ? LINE : OTHER;
          missing = 1 + bytes.readUInt32BE(at + 1);
          if (missing < HEAD_BYTES) return void socket.destroy(new Error(BROKEN_PROTOCOL));
          if (state === LINE) [at, missing] = [at + HEAD_BYTES, missing - HEAD_BYTES];
        }
        const next = Math.min(at + missing, bytes.length);
        if (state === LINE) {
          bytes.copyWithin(end, at, next);
          end += next - at;
        } else {
          give();
          pass(Buffer.from(bytes.subarray(at, next))); // copied: pg may keep it, and lines are moved over these bytes
        }
        missing -= next - at;
        at = next;
        if (missing === 0) state = HEAD;
      }
      const rest = Buffer.from(bytes.subarray(at));
      if (left) pass(rest);
      else begun = rest;
      give();
    }

    socket.off('data', pass).on('data', take);
    resume = () => socket.resume();
    leave = () => {
      if (!left) socket.off('data', take).on('data', pass).resume();
      left = true;
    };
    connection.query(text);
  }

  const query = {
    submit,
    handleError(error: Error) {
      leave(); // nobody reads on, and pg must see the connection end
      lines.destroy(error);
    },
    handleCommandComplete() {},
    handleReadyForQuery() {
      leave();
      lines.push(null);
    },
  };
  return { query, lines };
}

/** @throws where the socket is not read by pg alone: its messages would go astray */
function onlyListener(socket: Connection['stream']): (messages: Buffer) => void {
  const [pass, ...others] = socket.listeners('data') as ((messages: Buffer) => void)[];
  if (!pass || others.length > 0)
    throw new Error(`A connection has ${others.length + (pass ? 1 : 0)} readers, and must have one: pg`);
  return pass;
}
