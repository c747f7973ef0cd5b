// The format of a backup: a head in JSON, the points as CSV rows, and a closing line with a checksum, all gzipped.
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { BadInput } from '../commands/input-files.ts';
import { pointsText } from '../commands/progress.ts';
import { CalibrationCheck } from '../contract/calibrations.ts';
import { Exclusion } from '../contract/exclusions.ts';
import { Period } from '../contract/periods.ts';
import { COLUMNS } from '../contract/point.ts';
import { LAST_FOR_OLDER } from '../database/schema-version.ts';
import { StationSettings } from '../database/station-schemas.ts';
import { type FilePiece, pieceOf } from '../points/points.ts';
import { MinuteRun } from './minute-runs.ts';

/** The file extension that `--all` uses. */
export const ENDING = '.backup';
const FORMAT = 'audio-metrics-backup';
/** Raise it if older versions cannot read the new format. Appending a column to the points needs no new version. */
const VERSION = 2;
/** Of a backup without history, which earlier versions can read. */
const WITHOUT_HISTORY = 1;
/** Limits memory: parsing 64 MiB takes 1 GB. An isolated minute with overload has 56 bytes. */
const LONGEST_LINE = 64 * 1024 ** 2;
const [LINE_BREAK, BRACE, H] = [0x0a, 0x7b, 0x68];

const Head = z.object({
  format: z.literal(FORMAT),
  version: z.int(),
  made_at: z.string(),
  /** How long the database kept points: an interval, `off`, or null if that could not be read. */
  raw_retention: z.string().nullable(),
  /** The same for history; earlier versions have none. */
  history_retention: z.string().nullable().optional(),
  columns: z.array(z.string()).min(1),
  /** How the points were recorded, oldest first. */
  periods: z.array(Period),
  /** By minute: the number of overloaded windows. */
  overload: z.array(MinuteRun).optional(),
  /** The intervals that statistics leave out, and the calibration checks, oldest first. */
  exclusions: z.array(Exclusion),
  calibrations: z.array(CalibrationCheck),
  /** Backups of earlier versions lack the settings of the default station. */
  station: StationSettings.optional(),
  /** How many points the format cannot hold, and the earliest of their times. */
  left_out: z.object({ points: z.int(), times: z.array(z.string()) }).optional(),
});
export type Head = z.infer<typeof Head>;

/** The last line: the number of points, and the checksum of all lines before this one. */
const End = z.object({ points: z.int(), sha256: z.string() });

export function headOf(
  { periods, ...about }: Omit<Head, 'format' | 'version' | 'columns'>,
  hasHistory = false,
): Head {
  const version = hasHistory ? VERSION : WITHOUT_HISTORY;
  return { format: FORMAT, version, ...about, columns: [...COLUMNS], periods };
}

/** Writes the lines of a backup. @throws Error if the head is longer than `readLines` accepts */
export async function* writeLines(
  head: Head,
  rows: AsyncIterable<Buffer>,
  history: AsyncIterable<Buffer> = nothing(),
): AsyncGenerator<FilePiece> {
  const begin = line(head);
  if (begin.length > LONGEST_LINE)
    throw new Error(
      'The overload by minute exceeds the 64 MiB that a backup can hold: delete the oldest points of the station',
    );
  const hash = createHash('sha256').update(begin);
  let points = 0;
  yield { bytes: begin, points: 0 };
  for await (const bytes of history) {
    hash.update(bytes);
    yield { bytes, points: 0 };
  }
  for await (const bytes of rows) {
    hash.update(bytes);
    const piece = pieceOf(bytes);
    points += piece.points;
    yield piece;
  }
  const end: z.infer<typeof End> = { points, sha256: hash.digest('hex') };
  yield { bytes: line(end), points: 0 };
}

/** Such as `2 points at infinity, 10000-01-01 00:00:00+00`. */
export function leftOutText({ points, times }: NonNullable<Head['left_out']>): string {
  const others = times.length < points ? ', …' : '';
  return `${pointsText({ count: points })} at ${times.join(', ')}${others}`;
}

async function* nothing(): AsyncGenerator<Buffer> {}

/** The end of the lines of history at the beginning of some whole lines. */
function endOfHistory(lines: Buffer): number {
  if (lines[0] !== H) return 0;
  return lines.indexOf(LINE_BREAK, lines.lastIndexOf('\nh') + 1) + 1;
}

export interface BackupPiece extends FilePiece {
  /** Whether it has lines of history, not points. */
  readonly isHistory?: boolean;
}

export interface Backup {
  readonly head: Head;
  readonly pieces: AsyncIterable<BackupPiece>;
}

/** @throws BadInput if this version cannot read it as a backup. Reading the points throws it if the end is missing */
export async function readLines(name: string, source: AsyncIterable<Buffer>): Promise<Backup> {
  const lines = wholeLines(name, source);
  const { value: first } = await lines.next();
  const end = first ? first.indexOf(LINE_BREAK) + 1 : 0;
  if (!first || end === 0) throw foreign(name);
  const [begin, others] = [first.subarray(0, end), first.subarray(end)];
  const head = readHead(name, begin);

  async function* pieces(): AsyncGenerator<BackupPiece> {
    const hash = createHash('sha256').update(begin);
    let points = 0;
    let closing: Buffer | undefined;
    for await (const all of startingWith(others, lines)) {
      if (closing) throw damaged(name, 'there is data after its end');
      const start = head.version >= VERSION ? endOfHistory(all) : 0;
      if (start > 0) {
        const bytes = all.subarray(0, start);
        hash.update(bytes);
        yield { bytes, points: 0, isHistory: true };
      }
      const piece = all.subarray(start);
      const ends = piece[0] === BRACE ? 0 : piece.indexOf('\n{') + 1 || piece.length;
      if (ends < piece.length) closing = piece.subarray(ends);
      const counted = pieceOf(piece.subarray(0, ends));
      hash.update(counted.bytes);
      points += counted.points;
      yield counted;
    }
    if (!closing) throw cutOff(name);
    const { data: written } = End.safeParse(parse(closing));
    if (!written) throw damaged(name, 'its last line cannot be read');
    if (written.points !== points || written.sha256 !== hash.digest('hex'))
      throw damaged(name, 'its checksum does not match');
  }
  return { head, pieces: pieces() };
}

function readHead(name: string, begin: Buffer): Head {
  const found = parse(begin);
  const isOurs = z.object({ format: z.literal(FORMAT), version: z.int() }).safeParse(found);
  if (!isOurs.success) throw foreign(name);
  const { data: head } = Head.safeParse(found);
  const known = head?.columns.every((column, index) => column === COLUMNS[index]);
  if (isOurs.data.version > VERSION || known === false)
    throw new BadInput(
      `${name} was written by a newer version of Audio Metrics: restore it with that version or a later one`,
    );
  if (!head)
    throw new BadInput(
      `${name} was written by another version of Audio Metrics: if that was a newer one, restore with it. Commit ${LAST_FOR_OLDER} is the last that restores older ones`,
    );
  return head;
}

/** Cuts the stream into pieces that end with a line break. */
async function* wholeLines(name: string, source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let begun: Buffer[] = []; // joined once, because the head may be long
  let length = 0;
  for await (const piece of source) {
    const end = piece.lastIndexOf(LINE_BREAK) + 1;
    if (end > 0) {
      yield Buffer.concat([...begun, piece.subarray(0, end)]);
      begun = [];
      length = 0;
    }
    if (end === piece.length) continue;
    begun.push(Buffer.from(piece.subarray(end)));
    length += piece.length - end;
    if (length > LONGEST_LINE) throw foreign(name);
  }
  if (length > 0) throw cutOff(name);
}

async function* startingWith(first: Buffer, others: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  if (first.length > 0) yield first;
  yield* others;
}

const line = (value: object): Buffer => Buffer.from(`${JSON.stringify(value)}\n`);

function parse(text: Buffer): unknown {
  try {
    return JSON.parse(text.toString('utf8'));
  } catch {
    return undefined;
  }
}

export const foreign = (name: string): BadInput => new BadInput(`${name} is not an Audio Metrics backup`);

export const cutOff = (name: string): BadInput =>
  new BadInput(`${name} is cut off: its end is missing. Nothing was stored; take another backup`);

export const damaged = (name: string, how: string): BadInput =>
  new BadInput(`${name} is damaged: ${how}. Nothing was stored; take another backup`);
