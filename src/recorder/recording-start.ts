// Finds when a recording began: as told, by the name of its file, or by what the file says of itself.
import { basename } from 'node:path';
import { BadInput } from './bad-input.ts';
import { createTimeReader } from './import/time-format.ts';
import { readIso } from './import/time-pattern.ts';
import type { SoundFile } from './sound-file.ts';
import { NAME_TIME_ALLOWED, type StartOptions } from './start-options.ts';

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
  const read = nameTime?.read ?? readIso;
  if (!read(text))
    throw new BadInput(
      nameTime
        ? `${path}: its name does not hold ${nameTime.pattern}; --name-time must be ${NAME_TIME_ALLOWED}`
        : `${path} says that it began ${JSON.stringify(text)}, which is no time: tell it with --start`,
    );
  const time = createTimeReader({ name: 'iso', read }, zone).read(text);
  if (typeof time === 'string') return time;
  throw new BadInput(`${path}: ${time.fault}`);
}
