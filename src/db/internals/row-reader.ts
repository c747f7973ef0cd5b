// Reads the rows of a statement as the server sends them, without an object for each.
//
// Each row is a message: a letter, a length, the values (PostgreSQL's protocol, "DataRow"). This reads in pg's place
// while the statement runs, and passes on to pg whatever is not a row. COPY in binary by pg-copy-streams, which pg
// documents, takes 1.4 times the processor time for pages of 100 points and 1.6 times for pages of 10,000.
//
// Relies on pg 8.23: `Query#submit(connection)` sends the question on `Connection#stream`, and the options `binary` and
// `queryMode` of a question make its rows binary.
import pg from 'pg';
import { LONGEST_ROW, ROW_HEAD, ROW_LETTER } from '../binary-rows.ts';
import { BROKEN_PROTOCOL } from '../faults.ts';
import { incomingOf } from './incoming.ts';

/**
 * @param take gets whole rows, in pieces of any size; false makes the server wait
 * @param done is called once, when all rows were given or with what went wrong
 * @returns what `client.query` takes, and what lets the server go on after `take` has said no
 */
export function createRowReader(
  question: pg.QueryConfig,
  take: (rows: Buffer) => boolean,
  done: (error: Error | null) => void,
) {
  let [resume, leave] = [() => {}, () => {}];
  const config = { ...question, binary: true, queryMode: 'extended' };
  const query = new pg.Query(config, (error) => {
    leave(); // pg must see the connection end
    done(error ?? null);
  });
  const submit = query.submit.bind(query);

  query.submit = (connection: pg.Connection) => {
    const socket = connection.stream;
    const incoming = incomingOf(socket);
    let left = false;
    let others = 0; // bytes still to come of a message that is pg's
    let begun: Buffer = Buffer.of(); // the part of a row, or of a head, that has come

    function read(piece: Buffer): void {
      const bytes = begun.length > 0 ? Buffer.concat([begun, piece]) : piece;
      begun = Buffer.of();
      let at = 0;
      while (at < bytes.length && !left) {
        if (others > 0) {
          const end = Math.min(at + others, bytes.length);
          others -= end - at;
          incoming.toPg(Buffer.from(bytes.subarray(at, end))); // copied: pg may keep it, and with it all the rows
          at = end;
          continue;
        }
        const end = endOfRows(bytes, at);
        if (end > at && !take(bytes.subarray(at, end))) socket.pause();
        at = end;
        if (at + ROW_HEAD > bytes.length) break;
        const length = 1 + bytes.readUInt32BE(at + 1);
        const isRow = bytes[at] === ROW_LETTER;
        if (length < ROW_HEAD || (isRow && length > LONGEST_ROW))
          return void socket.destroy(new Error(BROKEN_PROTOCOL));
        if (isRow) break;
        others = length;
      }
      const rest = Buffer.from(bytes.subarray(at));
      if (left) incoming.toPg(rest);
      else begun = rest;
    }

    incoming.read = read;
    resume = () => {
      if (!left) socket.resume(); // else it is the next question's, which may have paused it
    };
    leave = () => {
      if (left) return;
      left = true;
      incoming.read = incoming.toPg;
      socket.resume();
    };
    return submit(connection);
  };
  return { query, resume: () => resume() };
}

/** @returns where the whole rows from `start` on end */
function endOfRows(bytes: Buffer, start: number): number {
  let at = start;
  while (at + ROW_HEAD <= bytes.length && bytes[at] === ROW_LETTER) {
    const length = bytes.readUInt32BE(at + 1);
    if (length < ROW_HEAD - 1 || at + 1 + length > bytes.length) break;
    at += 1 + length;
  }
  return at;
}
