// The options of `import`: how another logger's file is read, and what becomes of its points.
import type { Command } from 'commander';
import { UNKNOWN } from '../../contract/periods.ts';
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

/** How the file of another logger is laid out. */
export interface Layout extends Omit<Shape, 'names'>, Reading {
  readonly timeFormat: TimeFormat;
  readonly zone: string | undefined;
  readonly hold: Hold | undefined;
}

export interface ImportOptions {
  /** Undefined for what export.csv writes. */
  readonly layout: Layout | undefined;
  /** How the points were recorded; undefined if nothing was said. */
  readonly as: RecordedAs | undefined;
  /** Whether lines that cannot be read are left out. */
  readonly skipsBad: boolean;
  /** Whether times are meant that lie far from those of the file. */
  readonly takesFar: boolean;
  readonly isDryRun: boolean;
  /** What becomes of points that are there, in the time of a file. */
  readonly mode: 'add' | 'new' | 'replace';
  /** Whether lines are stored as they come. */
  readonly follows: boolean;
  /** Undefined if all points are of one station. */
  readonly stationBy: StationBy | undefined;
}

const DELIMITERS: Readonly<Record<string, string>> = {
  ...{ ',': ',', ';': ';', '|': '|' },
  ...{ tab: '\t', '\t': '\t', space: ' ', ' ': ' ' },
};
const MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** How often a level is repeated at most. */
const MOST_REPEATS = 500_000;

/** Options with a value, and flags: their descriptions. */
const OPTIONS = {
  '--columns <LIST>':
    'the columns of another logger: by place, - for one to skip (time,level,-,freq), or by the names in its header ("time=Date Time,level=LAeq"). The fields are time, level, freq, silence, and date where that has a column of its own (default: the file is of export.csv)',
  '--time-format <FORMAT>':
    'how times are written. auto reads ISO 8601 and what is like it, names of months, and seconds, milli-, micro- or nanoseconds since 1970. Others: iso, unix, unix-ms, excel for the numbers of a spreadsheet, or a pattern such as "DD.MM.YYYY HH:mm:ss" or "MM/DD/YYYY hh:mm:ss AM" (default auto)',
  '--zone <ZONE>':
    'the zone of times that say none: Europe/Vienna, UTC, or +01:00 for a clock without summer time (default: such times are refused)',
  '--reference-db <DB>':
    'the sound pressure level that a stored 0 stands for, 40 to 160: levels are stored from 50 dB below it up to it (default: levels are relative to full scale)',
  '--offset-db <DB>': 'added to each level, -300 to 300 dB, and nothing is said of what they are relative to',
  '--weighting <NAME>':
    'the frequency weighting of the levels (IEC 61672-1): A, C, or Z, also for unweighted',
  '--statistic <NAME>':
    'what a level is of its window: leq, the energy mean; max, the maximum; or sample, one value',
  '--time-weighting <NAME>': 'of levels that are max or sample: fast or slow',
  '--window <TIME>': 'how long the time of a level is: 1ms to 24h, such as 1s',
  '--instrument <TEXT>': 'what measured the levels, up to 200 characters',
  '--delimiter <CHAR>':
    'what is between columns: , ; | tab or space (default: , ; or tab, as the first line suggests)',
  '--skip-lines <N>': 'lines before the header or the first point to leave out, 0 to 100000 (default 0)',
  '--comment <TEXT>': "leave out lines that begin with this, such as '#' (default: none)",
  '--where <NAME=VALUE>':
    'read only lines with this value in this column, named by the header or by its number; given again with the same name, any of the values. * stands for all',
  '--station-by <COLUMN>':
    'store the lines with each value of this column in the station of that name; COLUMN=VALUE:STATION,... names the stations of values that are none',
  '--none <TEXT>': 'what stands for no value, such as null or OL; as often as there are such texts',
  '--hold <TIME>':
    'for logs that hold changes only: repeat each level at this distance until the next, 10ms to 1h, such as 1s',
  '--hold-max <TIME>': 'how long a level is repeated at most, up to 366d (default 1h)',
};
const FLAGS = {
  '--clip':
    'store levels below -50 as -50, those above 0 as 0, and no frequency if it is not 100 to 8000 Hz, and say how many (default: they are refused)',
  '--create': 'make the stations of --station-by that are missing (default: they are refused)',
  '--skip-bad':
    'leave out lines that cannot be read, and say how many (default: the first one is refused, and nothing stored)',
  '--replace':
    'remove the points that are there in the time of a file, but for its gaps, and store those of the file, 50,000 at a time (default: a file whose time has points is refused)',
  '--far':
    'store also times that lie more than 366 days from the median of the file (default: they are refused)',
  '--add': 'store the points of the file beside those that are there',
  '--follow':
    'store the lines of standard input as they come, within a second or so; one that cannot be read is told and left out. It ends with the input, or by a signal',
  '--dry-run':
    'store nothing: show the first points as they would be stored, and how many lines would be refused for what, and what the database has in that time',
};

export function declareImportOptions(command: Command): Command {
  declareRepeated(command, OPTIONS);
  for (const each of Object.entries(FLAGS)) command.option(...each);
  return command;
}

/** @throws AppError BAD_REQUEST with one line for each wrong argument */
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
        (text) => (/^\P{Cc}{1,200}$/u.test(text) ? text : undefined),
        'a line of 1 to 200 characters',
      ) ?? null,
  };
  if (!has('columns'))
    for (const flag of [...OF_FOREIGN.filter(has).map(flagOf), ...(clips ? ['--clip'] : [])])
      fault(flag, 'not allowed without --columns: what export.csv writes needs none');
  if (has('offsetDb') && has('referenceDb'))
    fault('--offset-db', 'not allowed with --reference-db, which says what is added: the reference less');
  if (settings.time_weighting !== null && settings.statistic !== 'max' && settings.statistic !== 'sample')
    fault('--statistic', 'must be max or sample with --time-weighting: a leq has none');
  if (has('holdMax') && !has('hold')) fault('--hold-max', 'not allowed without --hold');
  if ((maxMs ?? 0) > MOST_REPEATS * (stepMs ?? 0) && stepMs !== undefined)
    fault('--hold-max', `at most ${MOST_REPEATS.toLocaleString('en')} times --hold`);
  if (creates && !has('stationBy')) fault('--create', 'not allowed without --station-by');
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
