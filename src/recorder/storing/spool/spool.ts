// A spool: a folder of segments, points that wait for the database. Several recorders write to it, and whoever has the
// database takes from it.
import { createReadStream, existsSync, watch } from 'node:fs';
import { link, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder, removeSynced, renameSynced, replaceSynced } from '../../../db/synced-folders.ts';
import { checkCsvRow } from '../../check-csv-row.ts';
import { addTime, type PointCount } from '../../progress.ts';
import { HEAD, type SegmentHead, writeHead } from '../periods/recorded-as.ts';

/** Rows of CSV in one file, whose name says all this. */
export interface Segment {
  /** Sorts by when it was written, to the millisecond between two writers. No two segments have the same. */
  readonly name: string;
  /** The process that wrote it, and which of its segments it is: for good, and in copies of the folder. */
  readonly writer: string;
  readonly number: number;
  readonly points: number;
  /** How long a time they cover, of a live recorder; 0 for points that no newer ones may push out. */
  readonly coversMs: number;
  /** Whether version 0.1 left it (old-orders.ts): then it is carried out alone. */
  readonly isOrder: boolean;
}

/** A segment that can never be stored, and why. */
export class BadSegment extends Error {
  readonly segment: Segment;

  constructor(segment: Segment, reason: string) {
    super(reason);
    this.name = 'BadSegment';
    this.segment = segment;
  }
}

/** What was read of a segment. */
export interface SegmentRead extends PointCount {
  /** The line before its rows, if there is one. */
  head?: string | undefined;
}

export type Spool = Awaited<ReturnType<typeof openSpool>>;

/** Microseconds since 1970, the writer and its number, how many points there are, and what they cover. */
const NAME = /^\d{16}-([0-9a-f]{16})\.(\d{1,15})-(?:([1-9]\d{0,11})-(\d{1,12})|(\d{1,12})-order)\.csv$/;
/** The beginning of the names that version 0.1 gave, which do not tell the writer. */
const OLD_NAME = /^\d{16}-[0-9a-f]{8}(?=-\d+-(\d+|order)\.csv$)/;
const BEGINNING = '.writing-';
const ASIDE = '.set-aside';
/** Of orders, in version 0.1. */
const ANSWER = '.answer';
/** A writer that has written nothing for so long was killed. */
const ABANDONED_MS = 86_400_000;
const LONGEST_ROW = 4096;

/** @returns undefined for the name of anything else */
export function readSegmentName(name: string): Segment | undefined {
  const [, writer, number, points, coversMs = 0, ofOrder] = NAME.exec(name) ?? [];
  if (writer === undefined) return undefined;
  return {
    name,
    writer,
    number: Number(number),
    points: Number(ofOrder ?? points),
    coversMs: Number(coversMs),
    isOrder: ofOrder !== undefined,
  };
}

/** @throws an Error that names the folder and says what to do, where it cannot be written */
export async function openSpool(folder: string, advice: string) {
  const id = await makeSpool(folder).catch((cause) => {
    throw new Error(`The spool folder ${folder} cannot be written: ${advice}`, { cause });
  });
  const writer = crypto.randomUUID().replaceAll('-', '').slice(-16);
  let [micros, number] = [0, 0];

  /** @returns the beginning of the name of a segment */
  function nextName(): string {
    micros = Math.max(micros + 1, Date.now() * 1000);
    number += 1;
    return `${String(micros).padStart(16, '0')}-${writer}.${number}`;
  }

  /** Keeps a file that cannot be stored under another name. */
  async function setAside(name: string): Promise<void> {
    await rename(join(folder, name), join(folder, `${name}${ASIDE}`)).catch(unless('ENOENT'));
  }

  return {
    folder,
    /** Of this folder, for good: the lease of a live recorder is that of its folder. */
    id,
    nextName,
    setAside,

    /** The segments that wait, in the order in which they were written. */
    async waiting(): Promise<Segment[]> {
      return (await readdir(folder)).sort().flatMap((name) => readSegmentName(name) ?? []);
    },

    /**
     * Writes rows of CSV as one segment, all or none. Once it is back they survive a power cut. If it fails, they may
     * still be in the spool: write them again under the same name.
     *
     * @param how.coversMs how long a time each covers, if newer points may push them out
     * @param how.head what is known of how they were recorded
     */
    async write(
      rows: readonly string[],
      { coversMs = 0, head }: { coversMs?: number | undefined; head?: SegmentHead | undefined } = {},
      begin = nextName(),
    ): Promise<Segment | undefined> {
      const name = `${begin}-${rows.length}-${Math.round(coversMs * rows.length)}.csv`;
      await replaceSynced(join(folder, name), `${head ? writeHead(head) : ''}${rows.join('')}`);
      return readSegmentName(name);
    },

    /**
     * @param read counts them as they are read
     * @throws BadSegment if they are not what was written
     */
    async *rows(segment: Segment, read: SegmentRead = { count: 0 }): AsyncGenerator<string> {
      const bad = (reason: string) => new BadSegment(segment, reason);
      let points = 0;
      let rest = '';
      for await (const text of createReadStream(join(folder, segment.name), { encoding: 'utf8' })) {
        const lines = `${rest}${text}`.split('\n');
        rest = lines.pop() ?? '';
        if (points === 0 && lines[0]?.startsWith(HEAD)) read.head ??= lines.shift();
        const rows = lines.map((line) => {
          const checked = checkCsvRow(line.split(','));
          points += 1;
          if ('fault' in checked) throw bad(`line ${points}: ${checked.fault}`);
          addTime(read, checked.time);
          return `${checked.row}\n`;
        });
        if (rest.length > LONGEST_ROW) throw bad(`line ${points + 1} is too long`);
        if (rows.length > 0) yield rows.join('');
      }
      if (rest !== '' || points !== segment.points)
        throw bad(`it is torn: it has ${points} whole lines, and was written with ${segment.points}`);
    },

    /** Those that are gone already are no fault; one that a power cut brings back is known to be stored. */
    async remove(segments: readonly Segment[]): Promise<void> {
      for (const { name } of segments) await rm(join(folder, name), { force: true });
    },

    /**
     * Names the segments of version 0.1 anew, sets aside files that are no segments, and removes what writers left that
     * were killed.
     *
     * @param findStored those segments of version 0.1 that only go
     * @returns the names of what it set aside
     */
    async tidy(findStored: () => Promise<readonly string[]>): Promise<string[]> {
      const strange: string[] = [];
      const names = (await readdir(folder)).sort();
      const stored = new Set(names.some((name) => OLD_NAME.test(name)) ? await findStored() : []);
      for (const name of names) {
        const path = join(folder, name);
        if (stored.has(name)) await rm(path, { force: true });
        else if (OLD_NAME.test(name)) {
          const renamed = name.replace(OLD_NAME, nextName());
          await renameSynced(path, join(folder, renamed)).catch(unless('ENOENT'));
        } else if (name.startsWith(BEGINNING) || name.endsWith(ANSWER)) {
          const written = await stat(path).catch(() => undefined);
          if (written && Date.now() - written.mtimeMs > ABANDONED_MS) await rm(path, { force: true });
        } else if (name.endsWith('.csv') && !readSegmentName(name)) {
          await setAside(name);
          strange.push(name);
        }
      }
      return strange;
    },

    /** Calls back when a segment may have come. Not all systems tell: look now and then as well. */
    watch(listener: () => void, signal: AbortSignal): void {
      try {
        const watcher = watch(folder, { persistent: false, signal }, (_event, name) => {
          if (name === null || readSegmentName(name)) listener();
        });
        watcher.on('error', () => watcher.close());
      } catch {
        // the system watches no more folders
      }
    },
  };
}

/** Makes it if it is not there. Of two who do at once one gives the id. @returns the id */
async function makeSpool(folder: string): Promise<string> {
  makeFolder(folder);
  const path = join(folder, 'id');
  if (!existsSync(path)) {
    const made = join(folder, `${BEGINNING}${crypto.randomUUID()}`);
    await replaceSynced(made, crypto.randomUUID());
    await link(made, path).catch(unless('EEXIST'));
    removeSynced(made);
  }
  return (await readFile(path, 'utf8')).trim();
}

function unless(code: string) {
  return (error: NodeJS.ErrnoException) => {
    if (error.code !== code) throw error;
  };
}
