// Finds when a recording began: as told, by the name of its file, or by what the file says of itself.
import { basename } from 'node:path';
import { BadInput } from './bad-input.ts';
import { createTimeReader } from './import/time-format.ts';
import { createPattern, type ReadClock, readIso } from './import/time-pattern.ts';
import type { SoundFile } from './sound-file.ts';

interface NameTime {
  /** The pattern. */
  readonly name: string;
  readonly read: ReadClock;
}

export interface StartOptions {
  /** Canonical; undefined where the recording says it. */
  readonly start: string | undefined;
  /** How the name of the file says it. */
  readonly nameTime: NameTime | undefined;
  /** Of times that say none. */
  readonly zone: string | undefined;
}

export const NAME_TIME_ALLOWED =
  'a pattern of YYYY or YY, MM, DD, HH, mm and ss, with other text in [brackets], such as rec_YYYYMMDD_HHmmss';

/** @returns undefined where the pattern does not tell a day */
export function parseNameTime(pattern: string): NameTime | undefined {
  const read = createPattern(pattern, { isWhole: false });
  return read && { name: pattern, read };
}

/**
 * @returns a canonical instant
 * @throws BadInput where nothing says it, or not in which zone
 */
export function startOf(path: string, { began }: SoundFile, options: StartOptions): string {
  const { start, nameTime, zone } = options;
  if (start !== undefined) return start;
  const text = nameTime ? basename(path) : began;
  if (text === undefined)
    throw new BadInput(
      `${path} does not say when it began: tell it with --start, or how its name does, such as --name-time rec_YYYYMMDD_HHmmss`,
    );
  const format = nameTime ?? { name: 'iso', read: readIso };
  if (!format.read(text))
    throw new BadInput(
      nameTime
        ? `${path}: its name does not hold ${nameTime.name}; --name-time must be ${NAME_TIME_ALLOWED}`
        : `${path} says that it began ${JSON.stringify(text)}, which is no time: tell it with --start`,
    );
  const time = createTimeReader(format, zone).read(text);
  if (typeof time === 'string') return time;
  throw new BadInput(`${path}: ${time.fault}`);
}
