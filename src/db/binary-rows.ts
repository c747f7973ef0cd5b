// Rows in binary, as PostgreSQL's protocol has them ("DataRow"): a letter, a length that counts itself and what
// follows, the number of columns, then for each column a length, or -1 for null, and its bytes.

/** The letter of a row: D. */
export const ROW_LETTER = 68;

/** The letter and the length. */
export const ROW_HEAD = 5;

/** More than any row has: a longer one is refused before it is held whole. */
export const LONGEST_ROW = 2 ** 20;

/** What stands before the rows of a COPY in binary, and the number of columns after the last. */
const COPY_SIGNATURE = Buffer.from('PGCOPY\n\xff\r\n\0', 'latin1');
const COPY_HEAD = COPY_SIGNATURE.length + 8;
const COPY_END = -1;

/**
 * @param copied what COPY writes in binary ("Binary Format"): the same rows without their letters and lengths
 * @returns a buffer of its own, which can be given to another thread
 * @throws where it is something else
 */
export function rowsOfCopy(copied: Buffer) {
  if (copied.indexOf(COPY_SIGNATURE) !== 0) throw new Error('The rows of a COPY have an unknown form');
  const starts: number[] = [];
  let at = COPY_HEAD;
  for (let columns = copied.readInt16BE(at); columns !== COPY_END; columns = copied.readInt16BE(at)) {
    starts.push(at);
    at += 2;
    for (let column = 0; column < columns; column++) at += 4 + Math.max(0, copied.readInt32BE(at));
  }
  starts.push(at);
  const rows = Buffer.allocUnsafeSlow(at - COPY_HEAD + ROW_HEAD * (starts.length - 1));
  let end = 0;
  for (let row = 0; row + 1 < starts.length; row++) {
    const [from, to] = [starts[row] ?? at, starts[row + 1] ?? at];
    rows[end] = ROW_LETTER;
    rows.writeInt32BE(4 + to - from, end + 1);
    copied.copy(rows, end + ROW_HEAD, from, to);
    end += ROW_HEAD + to - from;
  }
  return rows;
}

/** @returns where the row at `at` ends */
export function nextRow(rows: Buffer, at: number): number {
  const length = rows.readInt32BE(at + 1);
  if (length < ROW_HEAD - 1) throw new RangeError('A row is shorter than its head'); // or its reader never ended
  return at + 1 + length;
}

/** The rows one after another, none of them copied. */
export function* eachRow(rows: Buffer): Generator<Buffer> {
  for (let at = 0; at < rows.length; ) {
    const end = nextRow(rows, at);
    yield rows.subarray(at, end);
    at = end;
  }
}

export function countRows(rows: Buffer): number {
  let count = 0;
  for (let at = 0; at < rows.length; at = nextRow(rows, at)) count++;
  return count;
}
