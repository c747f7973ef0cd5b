// A spool: a folder of segments. Several recorders write to it, and whoever has the database takes from it.
import { createReadStream, watch } from 'node:fs';
import { link, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { Period } from '../../../contract/periods.ts';
import { createFile, renameSynced, replaceSynced } from '../../../db/synced-folders.ts';
import { checkCsvRow } from '../../check-csv-row.ts';
import { addTime, type PointCount } from '../../progress.ts';
import { HEAD, type RecordedAs, readHead, writeHead } from '../periods/recorded-as.ts';
import { BadSegment, createNaming, OLD_NAME, readSegmentName, type Segment } from './segment.ts';

export interface Spool {
  readonly folder: string;
  /** Of this folder, for good: the lease of a live recorder is that of its folder. */
  readonly id: string;
  /** The segments that wait, in the order in which they were written. */
  waiting(): Promise<Segment[]>;
  /**
   * Writes rows of CSV as one segment, all or none. Once it is back they survive a power cut. If it fails, they may
   * still be in the spool: write them again under the same name.
   *
   * @param how.coversMs how long a time each covers, where newer points may push them out
   * @param how.as how they were recorded, if that is known
   * @param name what `nextName` gave
   * @returns undefined where there is no row
   * @throws what the iterable throws
   */
  write(
    rows: Iterable<string> | AsyncIterable<string>,
    how?: {
      readonly coversMs?: number | undefined;
      readonly as?: RecordedAs | undefined;
    },
    name?: string,
  ): Promise<Segment | undefined>;
  nextName(): string;
  /** Its first line, if that is no row; a torn one is empty. */
  headOf(segment: Segment): Promise<string | undefined>;
  /** How the points of a segment were recorded; undefined where it does not say. */
  recordedAs(segment: Segment): Promise<RecordedAs | undefined>;
  /**
   * @param read counts them as they are read
   * @throws BadSegment where they are not what was written
   */
  rows(segment: Segment, read?: PointCount): AsyncGenerator<string>;
  /** Once it is back a power cut brings none of them back. Those that are gone already are no fault. */
  remove(segments: readonly Segment[]): Promise<void>;
  /** Keeps a file that cannot be stored under another name. */
  setAside(name: string): Promise<void>;
  /**
   * Names the segments of version 0.1 anew.
   *
   * @param findStored those of them that only go
   */
  takeOver(findStored: () => Promise<readonly string[]>): Promise<void>;
  /** Sets aside files that are no segments, and removes what writers left that were killed. @returns their names */
  tidy(): Promise<string[]>;
  /** Tells recorders, which may not reach the database, how its points are recorded. */
  publish(periods: readonly Period[]): Promise<void>;
  /** What was published last. */
  periods(): Promise<Period[]>;
  /** Calls back when a segment may have come. Not all systems tell: ask now and then as well. @returns what ends that */
  watch(listener: () => void): () => void;
}

const ID = 'id';
const BEGINNING = '.writing-';
const ASIDE = '.set-aside';
/** Of orders, in version 0.1. */
const ANSWER = '.answer';
/** A writer that has written nothing for so long was killed. */
const ABANDONED_MS = 86_400_000;
const LONGEST_ROW = 4096;
const PERIODS = 'periods.json';

/** @throws an Error that names the folder and says what to do, where it cannot be written */
export async function openSpool(folder: string, advice: string): Promise<Spool> {
  let id: string;
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    id = await idOf(folder);
  } catch (cause) {
    throw new Error(`The spool folder ${folder} cannot be written: ${advice}`, { cause });
  }
  const nextName = createNaming();

  /** As text; empty where nothing was. */
  const readPublished = () => readFile(join(folder, PERIODS), 'utf8').catch(() => '');

  async function headOf(segment: Segment): Promise<string | undefined> {
    const file = await open(join(folder, segment.name));
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(LONGEST_ROW), 0, LONGEST_ROW, 0);
      const [line = '', ...more] = buffer.toString('utf8', 0, bytesRead).split('\n');
      if (!line.startsWith(HEAD)) return undefined;
      return more.length > 0 ? line : '';
    } finally {
      await file.close();
    }
  }

  async function waiting(): Promise<Segment[]> {
    const names = await readdir(folder);
    return names.sort().flatMap((name) => readSegmentName(name) ?? []);
  }

  return {
    folder,
    id,
    waiting,
    nextName,
    headOf,

    async write(rows, { coversMs = 0, as } = {}, begin = nextName()) {
      const beginning = join(folder, `${BEGINNING}${begin}`);
      const file = await createFile(beginning);
      try {
        let points = 0;
        if (as) await file.writeFile(writeHead(as));
        for await (const text of rows) {
          points += linesIn(text);
          await file.writeFile(text);
        }
        if (points === 0) return undefined;
        await file.sync();
        const name = `${begin}-${points}-${Math.round(coversMs * points)}.csv`;
        await renameSynced(beginning, join(folder, name));
        return readSegmentName(name);
      } finally {
        await file.close();
        await rm(beginning, { force: true });
      }
    },

    async recordedAs(segment) {
      const line = await headOf(segment);
      if (line === undefined) return undefined;
      const as = readHead(line);
      if (!as) throw new BadSegment(segment, 'its first line does not say how it was recorded');
      return as;
    },

    async *rows(segment, read = { count: 0 }) {
      const stream = createReadStream(join(folder, segment.name), { encoding: 'utf8' });
      let points = 0;
      let isBegun = false;
      let rest = '';
      for await (const text of stream) {
        const lines = `${rest}${text}`.split('\n');
        rest = lines.pop() ?? '';
        if (!isBegun && lines[0]?.startsWith(HEAD)) {
          lines.shift();
          isBegun = true;
        }
        isBegun ||= lines.length > 0;
        if (rest.length > LONGEST_ROW) throw new BadSegment(segment, `line ${points + 1} is too long`);
        const rows = lines.map((line) => {
          points += 1;
          const checked = checkCsvRow(line.split(','));
          if ('fault' in checked) throw new BadSegment(segment, `line ${points}: ${checked.fault}`);
          addTime(read, checked.time);
          return `${checked.row}\n`;
        });
        if (rows.length > 0) yield rows.join('');
      }
      if (rest !== '' || points !== segment.points)
        throw new BadSegment(
          segment,
          `it is torn: it has ${points} whole lines, and was written with ${segment.points}`,
        );
    },

    async remove(segments) {
      for (const { name } of segments) await rm(join(folder, name), { force: true });
      if (segments.length > 0) await syncFolder(folder);
    },

    async takeOver(findStored) {
      const names = (await readdir(folder)).filter((name) => OLD_NAME.test(name)).sort();
      if (names.length === 0) return;
      const stored = new Set(await findStored());
      for (const name of names) {
        if (stored.has(name)) await rm(join(folder, name), { force: true });
        else
          await rename(join(folder, name), join(folder, name.replace(OLD_NAME, nextName()))).catch(
            unlessGone,
          );
      }
    },

    async setAside(name) {
      await rename(join(folder, name), join(folder, `${name}${ASIDE}`)).catch(unlessGone);
    },

    async tidy() {
      const strange: string[] = [];
      for (const entry of await readdir(folder, { withFileTypes: true })) {
        const { name } = entry;
        const path = join(folder, name);
        if (name.startsWith(BEGINNING) || name.endsWith(ANSWER)) {
          const written = await stat(path).catch(() => undefined);
          if (written && Date.now() - written.mtimeMs > ABANDONED_MS) await rm(path, { force: true });
        } else if (
          entry.isFile() &&
          name.endsWith('.csv') &&
          !readSegmentName(name) &&
          !OLD_NAME.test(name)
        ) {
          await rename(path, `${path}${ASIDE}`).catch(unlessGone);
          strange.push(name);
        }
      }
      return strange;
    },

    async publish(periods) {
      const text = `${JSON.stringify(periods)}\n`;
      if (text !== (await readPublished())) await replaceSynced(join(folder, PERIODS), text);
    },

    periods: async () => parsePublished(await readPublished()),

    watch(listener) {
      try {
        const watcher = watch(folder, { persistent: false }, (_event, name) => {
          if (name === null || readSegmentName(name)) listener();
        });
        watcher.on('error', () => watcher.close());
        return () => watcher.close();
      } catch {
        return () => {};
      }
    },
  };
}

/** Makes it where there is none. Of two who make it at once one wins. */
async function idOf(folder: string): Promise<string> {
  const path = join(folder, ID);
  const made = join(folder, `${BEGINNING}${crypto.randomUUID()}`);
  if (!(await exists(path))) {
    await replaceSynced(made, crypto.randomUUID());
    await link(made, path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
    await rm(made, { force: true });
    await syncFolder(folder);
  }
  return (await readFile(path, 'utf8')).trim();
}

/** @returns none where it is not what was written */
function parsePublished(text: string): Period[] {
  try {
    return z.array(Period).safeParse(JSON.parse(text)).data ?? [];
  } catch {
    return [];
  }
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

function unlessGone(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}

function linesIn(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}

/** What was renamed or removed in a folder survives a power cut only then. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
