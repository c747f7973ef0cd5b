// The options of `import`: how to read another logger's file, and how to store its points.
import type { Command } from 'commander';
import { UNKNOWN } from '../../contract/periods.ts';
import { isPrintable } from '../../contract/printable.ts';
import {
  createOptionReader,
  decimal,
  declareRepeated,
  flagOf,
  type Given,
  oneOf,
  wholeNumber,
} from '../option-reader.ts';
import { WEIGHTINGS } from '../sound/frequency-weighting.ts';
import { TIME_WEIGHTINGS } from '../sound/time-weighting.ts';
import type { RecordedAs } from '../storing/periods/recorded-as.ts';
import { COLUMNS_ALLOWED, parseColumns } from './column-choice.ts';
import type { Hold } from './hold.ts';
import type { Shape } from './line-fields.ts';
import type { Reading, Where } from './line-reader.ts';
import { parseStationBy, STATION_BY_ALLOWED, type StationBy } from './station-by.ts';
import { LEAST_REFERENCE_DB, MOST_REFERENCE_DB } from './table-survey.ts';
import { AUTO, FORMAT_ALLOWED, parseTimeFormat, type TimeFormat } from './time-format.ts';
import { isZone, ZONE_ALLOWED } from './wall-clock.ts';

const OF_LEVELS = ['weighting', 'timeWeighting', 'statistic', 'window', 'referenceDb', 'instrument'] as const;
const OF_FOREIGN = [
  ...([
    'timeFormat',
    'zone',
    'offsetDb',
    'delimiter',
    'skipLines',
    'comment',
    'where',
    'none',
    'hold',
    'holdMax',
    'stationBy',
  ] as const),
  ...OF_LEVELS,
] as const;
type Name = 'columns' | (typeof OF_FOREIGN)[number];
type Flag = 'clip' | 'skipBad' | 'dryRun' | 'add' | 'replace' | 'follow' | 'far' | 'create';
export type GivenImport = Given<Name> & { readonly [name in Flag]?: boolean };

/** The layout of another logger's file. */
export interface Layout extends Omit<Shape, 'names'>, Reading {
  readonly timeFormat: TimeFormat;
  readonly zone: string | undefined;
  readonly hold: Hold | undefined;
}

export interface ImportOptions {
  /** Undefined for files from export.csv. */
  readonly layout: Layout | undefined;
  /** How the points were recorded; undefined if no option gives it. */
  readonly as: RecordedAs | undefined;
  readonly skipsBad: boolean;
  /** Whether to accept times far from the others in the file. */
  readonly takesFar: boolean;
  readonly isDryRun: boolean;
  /** How to treat existing points that a file overlaps. */
  readonly mode: 'add' | 'new' | 'replace';
  /** Whether to store lines as they arrive. */
  readonly follows: boolean;
  /** Undefined if all points belong to one station. */
  readonly stationBy: StationBy | undefined;
}

const DELIMITERS: Readonly<Record<string, string>> = {
  ...{ ',': ',', ';': ';', '|': '|' },
  ...{ tab: '\t', '\t': '\t', space: ' ', ' ': ' ' },
};
const MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** The most repeats of one level. */
const MOST_REPEATS = 500_000;

const OPTIONS = {
  '--columns <LIST>':
    'the columns of another logger, either by position with - for a column to skip (time,level,-,freq), or by the names in its header ("time=Date Time,level=LAeq"). The fields are time, level, freq, silence, and date if it has a column of its own (default: a file from export.csv)',
  '--time-format <FORMAT>':
    'the format of times. auto reads ISO 8601 and similar formats, month names, and seconds, milli-, micro- or nanoseconds since 1970. Others are iso, unix, unix-ms, excel (spreadsheet date numbers), or a pattern such as "DD.MM.YYYY HH:mm:ss" or "MM/DD/YYYY hh:mm:ss AM" (default auto)',
  '--zone <ZONE>':
    'the zone of times that have none: Europe/Vienna, UTC, or +01:00 for a clock without summer time (default: refuse such times)',
  '--reference-db <DB>':
    'the sound pressure level that a stored 0 stands for, 40 to 160. The stored range is the 50 dB up to it (default: levels are relative to full scale)',
  '--offset-db <DB>':
    'a number of dB to add to each level, -300 to 300, for levels whose reference is not known',
  '--weighting <NAME>':
    'the frequency weighting of the levels (IEC 61672-1): A, C, or Z, which also stands for unweighted',
  '--statistic <NAME>':
    'what each level is: leq, the energy mean of its window; max, the maximum; or sample, a single value',
  '--time-weighting <NAME>': 'the time weighting of max or sample levels: fast or slow',
  '--window <TIME>': 'the length of time that each level covers: 1ms to 24h, such as 1s',
  '--instrument <TEXT>': 'the instrument that measured the levels, up to 200 characters',
  '--delimiter <CHAR>':
    'the separator of columns: , ; | tab or space (default: , ; or tab, detected from the first line)',
  '--skip-lines <N>':
    'the number of lines to skip before the header or the first point, 0 to 100000 (default 0)',
  '--comment <TEXT>': "skip lines that begin with this text, such as '#' (default: none)",
  '--where <NAME=VALUE>':
    'read only lines with this value in this column. NAME is a header name or a column number. Repeat it with the same column to allow several values; * allows all',
  '--station-by <COLUMN>':
    'store each line in the station named by this column. If values are not station names, map them with COLUMN=VALUE:STATION,...',
  '--none <TEXT>': 'text that stands for a missing value, such as null or OL; may be repeated',
  '--hold <TIME>':
    'for logs that only record changes: repeat each level until the next, at this interval (10ms to 1h)',
  '--hold-max <TIME>': 'the longest time to repeat a level, up to 366d (default 1h)',
};
const FLAGS = {
  '--clip':
    'store levels below -50 as -50, levels above 0 as 0, and frequencies outside 100 to 8000 Hz as none, and report how many (default: refuse such lines)',
  '--create': 'create missing stations of --station-by (default: refuse them)',
  '--skip-bad':
    'skip lines that cannot be read, and report how many (default: stop at the first one, and store nothing)',
  '--replace':
    'replace existing points that a file overlaps, except in its gaps, 50,000 at a time (default: refuse such a file)',
  '--far': 'accept times more than 366 days from all others (default: refuse them)',
  '--add': 'keep existing points and store those of the file beside them',
  '--follow':
    'store lines from standard input as they arrive, within about a second. Report and skip lines that cannot be read. End with the input, or on a signal',
  '--dry-run':
    'store nothing. Show the first points as they would be stored, how many lines would be refused and why, and existing points that the file overlaps',
};

export function declareImportOptions(command: Command): Command {
  declareRepeated(command, OPTIONS);
  for (const each of Object.entries(FLAGS)) command.option(...each);
  return command;
}

/** @throws AppError BAD_REQUEST with one line per wrong argument */
export function readImportOptions(given: GivenImport): ImportOptions {
  const { clip: clips = false, skipBad: skipsBad = false, dryRun: isDryRun = false, ...others } = given;
  const {
    add = false,
    replace = false,
    follow: follows = false,
    far: takesFar = false,
    create: creates = false,
    ...texts
  } = others;
  const { read, readAll, has, fault, end } = createOptionReader<Name>(texts);
  const columns = read('columns', parseColumns, COLUMNS_ALLOWED);
  const timeFormat = read('timeFormat', parseTimeFormat, FORMAT_ALLOWED);
  const zone = read('zone', (text) => (isZone(text) ? text : undefined), ZONE_ALLOWED);
  const offsetDb = read('offsetDb', decimal(-300, 300), 'a plain decimal number of dB, -300 to 300');
  const delimiter = read('delimiter', (text) => DELIMITERS[text.toLowerCase()], 'one of , ; | tab space');
  const skipLines = read('skipLines', wholeNumber(0, 100_000), 'a whole number, 0 to 100000');
  const comment = read('comment', (text) => text || undefined, 'some text');
  const where = readAll('where', parseWhere, 'a column and a value, such as entity_id=sensor.garden');
  const by = read('stationBy', parseStationBy, STATION_BY_ALLOWED);
  const none = readAll('none', (text) => text.trim() || undefined, 'some text');
  const stepMs = read(
    'hold',
    lengthOf(10, HOUR_MS),
    'a whole number of ms, s, m or h, 10ms to 1h, such as 1s',
  );
  const maxMs = read('holdMax', lengthOf(10, 366 * DAY_MS), 'a whole number of ms, s, m, h or d, up to 366d');
  const settings = {
    ...UNKNOWN,
    weighting: read('weighting', oneOf(WEIGHTINGS), 'A, C or Z') ?? null,
    time_weighting: read('timeWeighting', oneOf(TIME_WEIGHTINGS), 'fast or slow') ?? null,
    statistic: read('statistic', oneOf(['leq', 'max', 'sample'] as const), 'leq, max or sample') ?? null,
    interval_ms:
      read('window', lengthOf(1, DAY_MS), 'a whole number of ms, s, m or h, 1ms to 24h, such as 1s') ?? null,
    reference_db:
      read(
        'referenceDb',
        decimal(LEAST_REFERENCE_DB, MOST_REFERENCE_DB),
        'a plain decimal number of dB, 40 to 160',
      ) ?? null,
    instrument:
      read(
        'instrument',
        (text) => (text !== '' && text.length <= 200 && isPrintable(text) ? text : undefined),
        'a line of 1 to 200 characters',
      ) ?? null,
  };
  if (!has('columns'))
    for (const flag of [...OF_FOREIGN.filter(has).map(flagOf), ...(clips ? ['--clip'] : [])])
      fault(flag, 'needs --columns: files from export.csv need no such option');
  if (has('offsetDb') && has('referenceDb'))
    fault('--offset-db', 'not allowed with --reference-db, which is already subtracted from each level');
  if (settings.time_weighting !== null && settings.statistic !== 'max' && settings.statistic !== 'sample')
    fault('--statistic', 'must be max or sample with --time-weighting: a leq has no time weighting');
  if (has('holdMax') && !has('hold')) fault('--hold-max', 'needs --hold');
  if ((maxMs ?? 0) > MOST_REPEATS * (stepMs ?? 0) && stepMs !== undefined)
    fault('--hold-max', `at most ${MOST_REPEATS.toLocaleString('en')} times --hold`);
  if (creates && !has('stationBy')) fault('--create', 'needs --station-by');
  if (add && replace) fault('--add', 'not allowed with --replace');
  if (follows && isDryRun) fault('--dry-run', 'not allowed with --follow');
  if (follows && replace) fault('--replace', 'not allowed with --follow');
  if (follows && has('hold')) fault('--hold', 'not allowed with --follow');
  end();
  const { reference_db: referenceDb } = settings;
  return {
    layout: columns && {
      columns,
      timeFormat: timeFormat ?? AUTO,
      zone,
      offsetDb: referenceDb === null ? offsetDb : -referenceDb,
      clips,
      none,
      where: together(where),
      hold: stepMs === undefined ? undefined : { stepMs, maxMs: maxMs ?? HOUR_MS },
      delimiter,
      skipLines: skipLines ?? 0,
      comment,
      hasLooseQuotes: true,
    },
    as: OF_LEVELS.some(has) ? { settings, isNewPeriod: false } : undefined,
    skipsBad,
    takesFar,
    isDryRun,
    follows,
    stationBy: by && { ...by, creates },
    mode: add ? 'add' : replace ? 'replace' : 'new',
  };
}

function lengthOf(leastMs: number, mostMs: number) {
  return (text: string) => {
    const [, count, unit = ''] = /^(\d{1,8})(ms|s|m|h|d)$/.exec(text) ?? [];
    const ms = Number(count) * (unit === 'd' ? DAY_MS : (MS[unit] ?? Number.NaN));
    return ms >= leastMs && ms <= mostMs ? ms : undefined;
  };
}

function parseWhere(text: string): { name: string; value: string } | undefined {
  const [name = '', ...value] = text.split('=');
  return name.trim() !== '' && value.length > 0
    ? { name: name.trim(), value: value.join('=').trim() }
    : undefined;
}

function together(where: readonly { name: string; value: string }[]): Where[] {
  const names = [...new Set(where.map(({ name }) => name))];
  return names.map((name) => ({
    name,
    values: where.filter((one) => one.name === name).map(({ value }) => value),
  }));
}
