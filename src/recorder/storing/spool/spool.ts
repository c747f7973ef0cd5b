// A spool: a folder of segments, which hold points that wait for the database. Several recorders may write to it, and
// the process that holds the database empties it.
import { hash } from 'node:crypto';
import { createReadStream, existsSync, watch } from 'node:fs';
import { link, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { addTime, messageOf, type PointCount } from '../../../commands/progress.ts';
import { DEFAULT_STATION, isStationName } from '../../../contract/station.ts';
import { OF_KEY } from '../../../database/stored-once.ts';
import { makeFolder, removeSynced, replaceSynced } from '../../../database/synced-folders.ts';
import { startLoop } from '../../../loop.ts';
import { checkCsvRow } from '../../check-csv-row.ts';
import { HEAD, type SegmentHead, writeHead } from '../periods/recorded-as.ts';

/** CSV rows in one file. The name of the file encodes these fields. */
export interface Segment {
  /** Unique. Sorts by the time of writing (between writers, to the millisecond). */
  readonly name: string;
  /** The process that wrote the segment, and the segment's number there. Both stay the same in copies of the folder. */
  readonly writer: string;
  readonly number: number;
  readonly points: number;
  /** How much time live points cover; 0 if newer points must not displace them. */
  readonly coversMs: number;
}

/** The error for a segment that can never be stored. The message has the reason. */
export class BadSegment extends Error {
  readonly segment: Segment;

  constructor(segment: Segment, reason: string) {
    super(reason);
    this.name = 'BadSegment';
    this.segment = segment;
  }
}

export interface SegmentRead extends PointCount {
  head?: string | undefined;
}

export type Spool = Awaited<ReturnType<typeof openSpool>>;

/** Microseconds since 1970, writer and number, how many points, and how many milliseconds they cover. */
const NAME = /^\d{16}-([0-9a-f]{16})\.(\d{1,15})-([1-9]\d{0,11})-(\d{1,12})\.csv$/;
const BEGINNING = '.writing-';
const ASIDE = '.set-aside';
/** A writer that has written nothing for this long counts as killed. */
const ABANDONED_MS = 86_400_000;
const LONGEST_ROW = 4096;

export function readSegmentName(name: string): Segment | undefined {
  const [, writer, number, points, coversMs] = NAME.exec(name) ?? [];
  if (writer === undefined) return undefined;
  return { name, writer, number: Number(number), points: Number(points), coversMs: Number(coversMs) };
}

/** @throws Error with the folder and what to do, if it cannot be written */
export async function openSpool(folder: string, advice: string) {
  const id = await makeSpool(folder).catch((cause) => {
    throw new Error(`The spool folder ${folder} cannot be written: ${advice}`, { cause });
  });
  const writer = crypto.randomUUID().replaceAll('-', '').slice(-16);
  let [micros, number] = [0, 0];

  /** @param key identifies a segment that may be written again: only the first one is stored */
  function nextName(key?: string): string {
    micros = Math.max(micros + 1, Date.now() * 1000);
    const begin = String(micros).padStart(16, '0');
    if (key !== undefined) return `${begin}-${hash('sha256', key).slice(0, 16)}.${OF_KEY}`;
    number += 1;
    return `${begin}-${writer}.${number}`;
  }

  async function setAside(name: string): Promise<void> {
    await rename(join(folder, name), join(folder, `${name}${ASIDE}`)).catch(unless('ENOENT'));
  }

  return {
    folder,
    /** The permanent id of this folder, under which a live recorder holds its lease. */
    id,
    nextName,
    setAside,

    /** The waiting segments, in the order of writing. */
    async waiting(): Promise<Segment[]> {
      return (await readdir(folder)).sort().flatMap((name) => readSegmentName(name) ?? []);
    },

    /**
     * Writes CSV rows as one segment, all or none. Once this returns they survive a power cut. If it throws, they may
     * still be in the spool: write them again under the same name.
     *
     * @param how.coversMs the time that each point covers, if newer points may displace them
     * @param how.head how they were recorded, if known
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

    /** @param read counts the rows as they are read. @throws BadSegment if the rows are damaged */
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
        throw bad(`it is torn: it has ${points} whole lines, but was written with ${segment.points}`);
    },

    /** Ignores segments that are gone. If a power cut restores one, the database knows that it is stored. */
    async remove(segments: readonly Segment[]): Promise<void> {
      for (const { name } of segments) await rm(join(folder, name), { force: true });
    },

    /** Removes files of killed writers, and sets aside those that are not segments. @returns the names of the latter */
    async tidy(): Promise<string[]> {
      const strange: string[] = [];
      for (const name of (await readdir(folder)).sort()) {
        const path = join(folder, name);
        if (name.startsWith(BEGINNING)) {
          const written = await stat(path).catch(() => undefined);
          if (written && Date.now() - written.mtimeMs > ABANDONED_MS) await rm(path, { force: true });
        } else if (name.endsWith('.csv') && !readSegmentName(name)) {
          await setAside(name);
          strange.push(name);
        }
      }
      return strange;
    },

    /** Calls back when a segment may have arrived. Also poll: not all systems notify. */
    watch(listener: () => void, signal: AbortSignal): void {
      try {
        const watcher = watch(folder, { persistent: false, signal }, (_event, name) => {
          if (name === null || readSegmentName(name)) listener();
        });
        watcher.on('error', () => watcher.close());
      } catch {
        // the system has no watches left
      }
    },
  };
}

/** Reads the id, or creates it. If two processes do so at once, both get the same id. */
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

const unless = (code: string) => (error: NodeJS.ErrnoException) => {
  if (error.code !== code) throw error;
};

const LOOK_EVERY_MS = 1000;
const AGAIN_MS = 60_000;

/** @param folder the default station's spool */
export const stationSpool = (folder: string, station: string) =>
  station === DEFAULT_STATION ? folder : join(folder, 'stations', station);

/** Looks for spools of stations until stopped. @param found called for each spool at each look */
export function watchStationSpools(
  folder: string,
  found: (station: string) => Promise<void>,
  report: (line: string) => void,
) {
  async function look(): Promise<number> {
    const names = await readdir(join(folder, 'stations')).catch(() => []);
    for (const name of names.filter(isStationName)) await found(name);
    return LOOK_EVERY_MS;
  }
  return startLoop(look, (error) => {
    report(`Warning: ${messageOf(error)}`);
    return AGAIN_MS;
  });
}
