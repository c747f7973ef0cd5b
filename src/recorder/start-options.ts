// The options for the start of a recording.
import type { Command } from 'commander';
import { INSTANT_ALLOWED, parseInstant } from '../contract/instant.ts';
import type { ReadClock } from './import/clock-fields.ts';
import { createPattern } from './import/time-pattern.ts';
import { isZone, ZONE_ALLOWED } from './import/wall-clock.ts';
import { declareRepeated, flagOf, type Given, type OptionReader } from './option-reader.ts';

/** How to read the start from a file name. */
interface NameTime {
  readonly pattern: string;
  readonly read: ReadClock;
}

export interface StartOptions {
  /** Canonical; undefined to use the recording's own start, or for standard input the clock. */
  readonly start: string | undefined;
  readonly nameTime: NameTime | undefined;
  /** The zone of times without one. */
  readonly zone: string | undefined;
}

type Name = 'start' | 'nameTime' | 'zone';
export type GivenStart = Given<Name>;

export const NAME_TIME_ALLOWED =
  'a pattern of YYYY or YY, MM, DD, HH, mm and ss, with other text in [brackets], such as rec_YYYYMMDD_HHmmss';

const OPTIONS = {
  '--start <TIME>': `the time of the first sample: ${INSTANT_ALLOWED} (default for standard input: now)`,
  '--name-time <PATTERN>': `how to read the start from the file name: ${NAME_TIME_ALLOWED}. By default the start comes from the file: a WAV bext chunk, AudioMoth's WAV comment or a DATE tag`,
  '--zone <ZONE>': `the zone of start times without one: ${ZONE_ALLOWED} (default: the zone in AudioMoth's comment; other such times are refused). A time in the repeated autumn hour means the first, and a notice says so; give an offset to choose`,
};

export const declareStartOptions = (command: Command) => declareRepeated(command, OPTIONS);

/**
 * @param source a path, or `-`
 * @param now the time that `now` in --start means, canonical
 */
export function readStartOptions(
  { read, has, fault }: OptionReader<Name>,
  source: string,
  now: string,
): StartOptions {
  const start = read('start', (given) => parseInstant(given, now), INSTANT_ALLOWED);
  const nameTime = read('nameTime', parseNameTime, NAME_TIME_ALLOWED);
  const zone = read('zone', (text) => (isZone(text) ? text : undefined), ZONE_ALLOWED);
  const isLive = source === '-';
  for (const name of ['nameTime', 'zone'] as const)
    if (has(name) && (isLive || has('start')))
      fault(flagOf(name), `not allowed with ${isLive ? 'standard input' : '--start'}`);
  return { start, nameTime, zone };
}

/** @returns undefined if the pattern lacks the day */
function parseNameTime(pattern: string): NameTime | undefined {
  const read = createPattern(pattern, { isWhole: false, hasTime: false });
  return read && { pattern, read };
}
