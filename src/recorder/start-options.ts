// The options for the start of a recording.
import { apart, INSTANT, read, textThat, type ValuesOf } from '../commands/command-options.ts';
import { createPattern } from '../commands/times/time-pattern.ts';
import { INSTANT_ALLOWED } from '../contract/instant.ts';
import { isZone, ZONE_ALLOWED } from '../contract/time-zone-clock.ts';

export const NAME_TIME_ALLOWED =
  'a pattern of YYYY or YY, MM, DD, HH, mm and ss, with other text in [brackets], such as rec_YYYYMMDD_HHmmss';

/** How a file says its start. */
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
  const read = createPattern(pattern, { isWhole: false, hasTime: false });
  return read && { pattern, read };
}
