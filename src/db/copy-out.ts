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
  /** Whole lines in pieces as they arrive; the server is kept waiting where they are not read. */
  readonly lines: Readable;
}

export function createCopyOut(text: string): CopyOut {
  let [resume, leave] = [() => {}, () => {}];
  const lines = new Readable({ read: () => resume() });

  function submit(connection: Connection): void {
    const socket = connection.stream;
    const [pass] = socket.listeners('data') as ((messages: Buffer) => void)[];
    if (!pass) throw new Error('pg does not listen to its socket');
    let begun: Buffer = Buffer.of(); // a message of which more is to come
    let left = false;

    function take(piece: Buffer): void {
      const bytes = begun.length > 0 ? Buffer.concat([begun, piece]) : piece;
      let [given, end] = [0, 0]; // the lines between these are to be handed over
      let at = 0;
      const give = () => {
        if (end > given && !lines.push(bytes.subarray(given, end))) socket.pause();
        given = end;
      };
      while (at + HEAD_BYTES <= bytes.length) {
        const next = at + 1 + bytes.readUInt32BE(at + 1);
        if (next > bytes.length) break;
        if (bytes[at] === COPY_DATA) {
          bytes.copyWithin(end, at + HEAD_BYTES, next);
          end += next - at - HEAD_BYTES;
        } else {
          give();
          pass?.(bytes.subarray(at, next));
        }
        at = next;
      }
      const rest = bytes.subarray(at);
      if (left) pass?.(rest);
      else begun = Buffer.from(rest);
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
