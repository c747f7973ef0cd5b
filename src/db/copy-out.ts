// What a COPY to standard output sends, taken off the socket without an object for each row.
//
// Each row is a message: a letter, a length, the line. Of a million such messages pg, and every stream on top
// of it, makes a million objects. This takes pg's place at the socket for as long as the COPY runs, and passes
// on to pg whatever is not a line: the head of the answer, its end, errors, notices.
import { Readable } from 'node:stream';
import type { Connection, Submittable } from 'pg';

const COPY_DATA = 100; // the letter d

/** The letter, and four bytes of length, which counts itself and what follows. */
const HEAD_BYTES = 5;

interface CopyOut {
  /** What `client.query` takes, with what pg calls on it. */
  readonly query: Submittable & { handleError(error: Error): void; handleReadyForQuery(): void };
  /** The lines in pieces as they arrive, which end anywhere; the server is kept waiting where they are not read. */
  readonly lines: Readable;
}

export function createCopyOut(text: string): CopyOut {
  let [resume, leave] = [() => {}, () => {}];
  const lines = new Readable({ objectMode: true, highWaterMark: 2, read: () => resume() }); // bytes would be joined

  function submit(connection: Connection): void {
    const socket = connection.stream;
    const [pass] = socket.listeners('data') as ((messages: Buffer) => void)[];
    if (!pass) throw new Error('pg does not listen to its socket');
    let left = false;
    let head: Buffer = Buffer.of(); // of a message whose length is not yet known
    let [isLine, missing] = [false, 0]; // of the message at hand: what it is, and the bytes that are to come

    function take(piece: Buffer): void {
      const bytes = head.length > 0 ? Buffer.concat([head, piece]) : piece;
      let [given, end] = [0, 0]; // the lines between these are to be handed over
      let at = 0;
      const give = () => {
        if (end > given && !lines.push(bytes.subarray(given, end))) socket.pause();
        given = end;
      };
      while (at < bytes.length) {
        if (missing === 0) {
          if (at + HEAD_BYTES > bytes.length) break;
          isLine = bytes[at] === COPY_DATA;
          missing = 1 + bytes.readUInt32BE(at + 1);
          if (isLine) [at, missing] = [at + HEAD_BYTES, missing - HEAD_BYTES];
        }
        const next = Math.min(at + missing, bytes.length);
        if (isLine) {
          bytes.copyWithin(end, at, next);
          end += next - at;
        } else {
          give();
          pass?.(Buffer.from(bytes.subarray(at, next))); // pg may keep it, and these bytes are written over
        }
        missing -= next - at;
        at = next;
      }
      const rest = Buffer.from(bytes.subarray(at));
      if (left) pass?.(rest);
      else head = rest;
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
