// The options that say when a recording began.
import type { Command } from 'commander';
import { INSTANT_ALLOWED, parseInstant } from '../contract/instant.ts';
import type { ReadClock } from './import/clock-fields.ts';
import { createPattern } from './import/time-pattern.ts';
import { isZone, ZONE_ALLOWED } from './import/wall-clock.ts';
import { declareRepeated, flagOf, type Given, type OptionReader } from './option-reader.ts';

/** How the name of a file says it. */
interface NameTime {
  readonly pattern: string;
  readonly read: ReadClock;
}

export interface StartOptions {
  /** Canonical; undefined where the recording says it, or on standard input the clock. */
  readonly start: string | undefined;
  readonly nameTime: NameTime | undefined;
  /** Of times that say none. */
  readonly zone: string | undefined;
}

type Name = 'start' | 'nameTime' | 'zone';
export type GivenStart = Given<Name>;

export const NAME_TIME_ALLOWED =
  'a pattern of YYYY or YY, MM, DD, HH, mm and ss, with other text in [brackets], such as rec_YYYYMMDD_HHmmss';

const OPTIONS = {
  '--start <TIME>': `when the first sample was taken: ${INSTANT_ALLOWED}; on standard input the clock says it unless given`,
  '--name-time <PATTERN>': `how the name of a recording says when it began: ${NAME_TIME_ALLOWED}. Without it the recording says it itself, in a bext chunk or AudioMoth's comment of WAV, or a DATE tag`,
  '--zone <ZONE>': `the zone of such times if they say none: ${ZONE_ALLOWED} (default: that of AudioMoth's comment, else they are refused). Of the hour that comes twice the recorder takes the first, and says so; an offset chooses`,
};

export const declareStartOptions = (command: Command) => declareRepeated(command, OPTIONS);

/**
 * @param source a path, or `-`
 * @param now what `now` in --start means, canonical
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

/** @returns undefined where the pattern does not tell a day */
function parseNameTime(pattern: string): NameTime | undefined {
  const read = createPattern(pattern, { isWhole: false, hasTime: false });
  return read && { pattern, read };
}
