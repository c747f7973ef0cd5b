// Finds when a recording began: as told, by the name of its file, or by what the file says of itself.
import { basename } from 'node:path';
import { instantOf } from '../../contract/instant.ts';
import type { PeriodSettings } from '../../contract/periods.ts';
import { BadInput } from '../bad-input.ts';
import { createTimeReader } from '../import/time-format.ts';
import { readIso } from '../import/time-pattern.ts';
import { createWallClock } from '../import/wall-clock.ts';
import { NAME_TIME_ALLOWED, type StartOptions } from '../start-options.ts';
import type { SoundFile } from './sound-file.ts';

export interface RecordingStart {
  /** Canonical. */
  readonly start: string;
  /** What said it. */
  readonly clock: PeriodSettings['clock'];
}

/**
 * @param say shows a line to the user
 * @throws BadInput if neither the options nor the file say the time or its zone, or if the two zones differ
 */
export function startOf(
  path: string,
  { began, zone: set }: SoundFile,
  { start, nameTime, zone = set }: StartOptions,
  say: (line: string) => void,
): RecordingStart {
  if (start !== undefined) return { start, clock: 'start' };
  const text = nameTime ? basename(path) : began;
  if (text === undefined)
    throw new BadInput(
      `${path} does not say when it began: tell it with --start, or how its name does, such as --name-time rec_YYYYMMDD_HHmmss`,
    );
  const read = nameTime?.read ?? readIso;
  const shown = read(text);
  if (!shown)
    throw new BadInput(
      nameTime
        ? `${path}: its name does not hold ${nameTime.pattern}; --name-time must be ${NAME_TIME_ALLOWED}`
        : `${path} says that it began ${JSON.stringify(text)}, which is no time: tell it with --start`,
    );
  const times = createTimeReader({ name: 'iso', read }, zone);
  const time = times.read(text);
  if (typeof time !== 'string') throw new BadInput(`${path}: ${time.fault}`);
  if (set !== undefined && createTimeReader({ name: 'iso', read }, set).read(text) !== time)
    throw new BadInput(
      `${path} says that its clock was set to ${set}, which --zone ${zone} is not at that time: leave out --zone`,
    );
  if (zone !== undefined && times.repeated() > 0)
    say(
      `${path}: its time comes twice in ${zone}. The first is taken, ${time}; --zone ${offsetAfter(shown.wallMs, zone)} takes the second.`,
    );
  return { start: time, clock: nameTime ? 'name' : 'file' };
}

/** Of the clocks a day later, such as +01:00. */
function offsetAfter(wallMs: number, zone: string): string {
  const later = wallMs + 86_400_000;
  const ms = later - (createWallClock(zone).instantOf(later) ?? later);
  return `${ms < 0 ? '-' : '+'}${instantOf(Math.abs(ms)).slice(11, 16)}`;
}
