// Finds the start of a recording: from the options declared here, the name of the file, or its metadata.
import { basename } from 'node:path';
import { apart, INSTANT, read, textThat, type ValuesOf } from '../../commands/command-options.ts';
import { messageOfFault } from '../../commands/fault.ts';
import { BadInput } from '../../commands/input-files.ts';
import { createTimeReader } from '../../commands/times/time-format.ts';
import { createPattern, readIso } from '../../commands/times/time-pattern.ts';
import { INSTANT_ALLOWED, instantOf } from '../../contract/instant.ts';
import type { PeriodSettings } from '../../contract/periods.ts';
import { isZone, timeZoneClock, ZONE_ALLOWED } from '../../contract/time-zone-clock.ts';
import type { SoundFile } from './sound-file.ts';

export interface RecordingStart {
  /** Canonical. */
  readonly start: string;
  readonly clock: PeriodSettings['clock'];
}

/** @throws BadInput if neither the options nor the file give the time and its zone, or if the two zones differ */
export function recordingStart(
  path: string,
  { began, zone: set }: SoundFile,
  { start, nameTime, zone = set }: StartOptions,
  say: (line: string) => void,
): RecordingStart {
  if (start !== undefined) return { start, clock: 'start' };
  const text = nameTime ? basename(path) : began;
  if (text === undefined)
    throw new BadInput(
      `${path} has no start time: give it with --start, or read it from the file name, such as --name-time rec_YYYYMMDD_HHmmss`,
    );
  const read = nameTime?.read ?? readIso;
  const shown = read(text);
  if (!shown)
    throw new BadInput(
      nameTime
        ? `${path}: its name does not match ${nameTime.pattern}; --name-time must be ${NAME_TIME_ALLOWED}`
        : `${path} has the start ${JSON.stringify(text)}, which is not a time: give it with --start`,
    );
  const times = createTimeReader({ name: 'iso', read }, { zone });
  const time = times.read(text);
  if (typeof time !== 'string') throw new BadInput(`${path}: ${messageOfFault(time)}`);
  if (set !== undefined && createTimeReader({ name: 'iso', read }, { zone: set }).read(text) !== time)
    throw new BadInput(
      `${path} was recorded with a clock set to ${set}, but --zone ${zone} has another offset at that time: leave out --zone`,
    );
  if (zone !== undefined && times.repeated() > 0)
    say(
      `${path}: its start occurs twice in ${zone}. Taking the first, ${time}; to take the second, give --zone ${offsetAfter(shown.wallMs, zone)}.`,
    );
  return { start: time, clock: nameTime ? 'name' : 'file' };
}

/** The zone's offset a day later, such as +01:00. */
function offsetAfter(wallMs: number, zone: string): string {
  const ms = timeZoneClock(zone).offsetAt(wallMs + 86_400_000);
  return `${ms < 0 ? '-' : '+'}${instantOf(Math.abs(ms)).slice(11, 16)}`;
}

const NAME_TIME_ALLOWED =
  'a pattern of YYYY or YY, MM, DD, HH, mm and ss, with other text in [brackets], such as rec_YYYYMMDD_HHmmss';

export const FILE_START = {
  help: {
    '--name-time <PATTERN>': `how to read the start from the file name: ${NAME_TIME_ALLOWED}. By default the start comes from the file: a WAV bext chunk, AudioMoth's WAV comment or a DATE tag`,
    '--zone <ZONE>': `the zone of start times without one: ${ZONE_ALLOWED} (default: the zone in AudioMoth's comment; other such times are refused). A time in the repeated autumn hour means the first, and a notice says so; give an offset to choose`,
  },
  kinds: {
    nameTime: apart(read({ allowed: NAME_TIME_ALLOWED, parse: parseNameTime }), 'start'),
    zone: apart(read(textThat(ZONE_ALLOWED, isZone)), 'start'),
  },
};
export const START = {
  help: {
    '--start <TIME>': `the time of the first sample: ${INSTANT_ALLOWED} (default for standard input: now)`,
    ...FILE_START.help,
  },
  kinds: { start: read(INSTANT), ...FILE_START.kinds },
};
export type StartOptions = ValuesOf<typeof START>;

/** @returns how to read the start from a file name; undefined if the pattern lacks the day */
function parseNameTime(pattern: string) {
  const read = createPattern(pattern, true);
  return read && { pattern, read };
}
