// The options of `import`: how to read another logger's file, and how to store its points.
import querystring from 'node:querystring';
import type { Command } from 'commander';
import {
  ANY_TEXT,
  apart,
  choice,
  decibels,
  declareOptions,
  factor,
  flag,
  givenOf,
  lineForm,
  read,
  repeatable,
  textThat,
  type ValuesOf,
  wholeNumberBetween,
} from '../commands/command-options.ts';
import { isLoopback } from '../commands/loopback.ts';
import { brokerProblem } from '../commands/mqtt-broker.ts';
import { AUTO, FORMAT_ALLOWED, parseTimeFormat } from '../commands/times/time-format.ts';
import { durationBetween } from '../contract/instant.ts';
import { UNKNOWN } from '../contract/periods.ts';
import { isAnyStation } from '../contract/station.ts';
import { isZone, ZONE_ALLOWED } from '../contract/time-zone-clock.ts';
import { storingMode } from '../recorder/storing/point-store.ts';
import { WEIGHTINGS } from '../sound/frequency-weighting.ts';
import { TIME_WEIGHTINGS } from '../sound/window-power.ts';
import { COLUMNS_ALLOWED, hasTime, parseColumns } from './column-choice.ts';
import { LEAST_REFERENCE_DB, MOST_REFERENCE_DB } from './table-survey.ts';

export const BLANKS = ' ';
export const DELIMITERS = ['\t', ';', ',', '|', BLANKS];
const delimiterOf = (text: string) =>
  DELIMITERS.find((one) => one === text.replace(/^tab$/i, '\t').replace(/^space$/i, ' '));
const MOST_REPEATS = 500_000;
const MOST_TOPIC_LEVELS = 99;

const STATION_BY_ALLOWED =
  'a column, with station names for values that are not station names, such as entity_id=sensor.bed:bed,sensor.hall:hall';

const SOME_TEXT = { allowed: 'some text', parse: (text: string) => text.trim() || undefined };

/** The filters that MQTT allows. A shared subscription is $share/GROUP/TOPIC. */
const TOPIC = /^(?!\$share\/\/|\$share\/[^/]*\/?$)(?=.)(?:(?:[^+#/\0]*|\+)\/)*(?:[^+#/\0]*|\+|#)$/s;
/** @returns the topic at the end of the URL. @throws a usage error, without the URL: it may contain a password */
function readBroker(text: string, command: Command) {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const problem = url ? brokerProblem(url) : 'it must be a URL, such as mqtt://host/garden/level';
  if (!url || problem !== undefined) return command.error(`--mqtt: ${problem}`);
  const topic = `${querystring.unescape(url.pathname.slice(1))}${text.endsWith('#') ? '#' : ''}`;
  if (Buffer.byteLength(topic) > 65_535 || !TOPIC.test(topic))
    command.error(
      '--mqtt: its path must be a topic, such as mqtt://host/garden/level or mqtt://host/+/level',
    );
  return { url, topic };
}

const AT = {
  allowed: 'a host and a port, such as 127.0.0.1:3100 or [::]:3100',
  parse(text: string) {
    const [, ipv6, host = ipv6, port] = /^(?:\[([\da-f:.]+)\]|([\w.-]+)):(\d{1,5})$/i.exec(text) ?? [];
    return host !== undefined && Number(port) < 65_536 ? { host, port: Number(port) } : undefined;
  },
};
/** The options that need whole files. */
const TABLES_ONLY = ['replace', 'repeated', 'hold', 'dryRun'];

/** What is known of the levels. */
const LEVELS = {
  help: {
    '--weighting <NAME>':
      'the frequency weighting of the levels (IEC 61672-1): A, C, or Z, which also stands for unweighted',
    '--statistic <NAME>':
      'what each level is: leq, the energy mean of its window; max, the maximum; or sample, a single value',
    '--time-weighting <NAME>': 'the time weighting of max or sample levels: fast or slow',
    '--window <TIME>': 'the length of time that each level covers, 1ms to 24h, such as 1s',
    '--instrument <TEXT>': 'the instrument that measured the levels, up to 200 characters',
    '--reference-db <DB>':
      'the sound pressure level that a stored 0 stands for, 40 to 160. The stored range is the 50 dB up to it (default: levels are relative to full scale)',
  },
  kinds: {
    weighting: choice(WEIGHTINGS),
    statistic: choice(['leq', 'max', 'sample']),
    timeWeighting: choice(TIME_WEIGHTINGS),
    window: read(durationBetween('1ms', '24h')),
    instrument: read(lineForm(200)),
    referenceDb: read(decibels(LEAST_REFERENCE_DB, MOST_REFERENCE_DB)),
  },
};
const FOREIGN = {
  help: {
    '--time-format <FORMAT>':
      'the format of times. auto reads ISO 8601 and similar formats, month names, and seconds, milli-, micro- or nanoseconds since 1970. Others are iso, unix, unix-ms, excel (spreadsheet date numbers), or a pattern such as "DD.MM.YYYY HH:mm:ss" or "MM/DD/YYYY hh:mm:ss AM" (default auto)',
    '--zone <ZONE>':
      'the zone of times that have none: Europe/Vienna, UTC, or +01:00 for a clock without summer time (default: refuse such times)',
    '--scale <FACTOR>':
      'multiply each level by this factor, 0.001 to 1000, before anything else: 0.1 for tenths of a decibel (default 1)',
    '--stamp <NAME>':
      'what times stand for: the start or the end of the window of their level; end needs --window (default start)',
    '--offset-db <DB>':
      'a number of dB to add to each level, -300 to 300, for levels whose reference is not known',
    ...LEVELS.help,
    '--encoding <NAME>':
      'the encoding of the text, such as windows-1251, shift_jis or euc-kr (default: UTF-8 or UTF-16, or else windows-1252)',
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
      'for logs that only record changes: repeat each level until the next, at this interval, 10ms to 1h',
    '--hold-max <TIME>': 'the longest time to repeat a level, up to 366d (default 1h)',
    '--clip':
      'store levels below -50 as -50, levels above 0 as 0, and frequencies outside 100 to 8000 Hz as none, and report how many (default: refuse such lines)',
  },
  kinds: {
    timeFormat: read({ allowed: FORMAT_ALLOWED, parse: parseTimeFormat }),
    zone: read(textThat(ZONE_ALLOWED, isZone)),
    stamp: choice(['start', 'end']),
    scale: read(factor(0.001, 1000)),
    offsetDb: apart(read(decibels(-300, 300)), 'referenceDb'),
    ...LEVELS.kinds,
    encoding: read({ allowed: 'an encoding, such as windows-1251, shift_jis or euc-kr', parse: encodingOf }),
    delimiter: read({ allowed: 'one of , ; | tab space', parse: delimiterOf }),
    skipLines: read(wholeNumberBetween(0, 100_000)),
    comment: read(textThat('some text', (text) => text !== '')),
    where: repeatable({
      allowed: 'a column and a value, such as entity_id=sensor.garden',
      parse: parseWhere,
    }),
    stationBy: read({ allowed: STATION_BY_ALLOWED, parse: parseStationBy }),
    none: repeatable(SOME_TEXT),
    hold: read(durationBetween('10ms', '1h')),
    holdMax: read(durationBetween('10ms', '366d')),
    clip: flag,
  },
};
const OPTIONS = {
  help: {
    '--columns <LIST>':
      'the columns of another logger, either by position with - for a column to skip (time,level,-,freq), or by the names in its header ("time=Date Time,level=LAeq"). The fields are time, level, freq, silence, and date, or year, month, day, hour, minute, second and millis, if they have columns of their own (default: a file from export.csv)',
    ...FOREIGN.help,
    '--create': 'create missing stations of --station-by (default: refuse them)',
    '--skip-bad':
      'skip lines that cannot be read, and report how many (default: stop at the first one, and store nothing)',
    '--replace':
      'replace existing points that a file overlaps, except in its gaps, 50,000 at a time (default: refuse such a file)',
    '--far':
      'accept times before 1990, more than a day ahead of now, or more than 366 days from all others (default: refuse them)',
    '--repeated <WHAT>':
      'rows in time that was already read: keep stores them too, drop stores only the first row of each time (default: refuse more than 3 such rows and 0.1 %)',
    '--add': 'keep existing points and store those of the file beside them',
    '--follow':
      'store lines from standard input as they arrive, within about a second. Report and skip lines that cannot be read. End with the input, or on a signal',
    '--listen <HOST:PORT>':
      'store the points that programs post to /STATION at this address, such as 127.0.0.1:3100, and answer once they are on disk. Without time in --columns, a line has the time of its arrival',
    '--tokens <FILE>':
      'the tokens that --listen accepts, as lines that `npm run key` prints. Required if HOST is not this machine alone',
    '--mqtt <URL>':
      'store the messages of the topic in this URL, such as mqtts://user@host/garden/level, and acknowledge them once they are on disk. The topic may have + and #, and --station-by topic:N takes the station from its Nth level. Without time in --columns, a line has the time of its arrival',
    '--password-file <FILE>': 'the password of the user of --mqtt, if the URL has none',
    '--retained': 'store retained messages of --mqtt too, which may be old (default: ignore them)',
    '--dry-run':
      'store nothing. Show the first points as they would be stored, how many lines would be refused and why, and existing points that the file overlaps',
  },
  kinds: {
    columns: read({ allowed: COLUMNS_ALLOWED, parse: parseColumns }),
    ...FOREIGN.kinds,
    create: flag,
    skipBad: flag,
    replace: apart(flag, 'follow'),
    far: flag,
    repeated: apart(choice(['keep', 'drop']), 'follow'),
    add: apart(flag, 'replace'),
    follow: apart(flag, 'hold'),
    listen: apart(read(AT), 'follow', ...TABLES_ONLY, 'stationBy'),
    tokens: read(SOME_TEXT),
    mqtt: apart(read(ANY_TEXT), 'follow', ...TABLES_ONLY, 'listen'),
    passwordFile: read(SOME_TEXT),
    retained: flag,
    dryRun: apart(flag, 'follow'),
  },
};
export type GivenImport = ValuesOf<typeof OPTIONS>;

export const declareImport = (command: Command) => declareOptions(command, OPTIONS);

/** @throws a usage error of the command */
export function readImport(given: GivenImport, command: Command) {
  const { columns, hold, holdMax, stationBy, timeWeighting, statistic, referenceDb } = given;
  const { listen, tokens, mqtt, passwordFile, create = false } = given;
  const levels = givenOf(command, LEVELS.kinds);
  if (columns === undefined)
    for (const flags of givenOf(command, FOREIGN.kinds))
      if (!levels.includes(flags))
        command.error(`${flags}: needs --columns: files from export.csv need no such option`);
  if (timeWeighting !== undefined && statistic !== 'max' && statistic !== 'sample')
    command.error('--statistic: must be max or sample with --time-weighting: a leq has no time weighting');
  if (given.stamp === 'end' && given.window === undefined)
    command.error('--stamp: end needs --window, the length of time that each level covers, such as 1h');
  if (holdMax !== undefined && hold === undefined) command.error('--hold-max: needs --hold');
  if (hold !== undefined && (holdMax ?? 0) > MOST_REPEATS * hold)
    command.error(`--hold-max: at most ${MOST_REPEATS.toLocaleString('en')} times --hold`);
  if (passwordFile !== undefined && mqtt === undefined) command.error('--password-file: needs --mqtt');
  if (given.retained && mqtt === undefined) command.error('--retained: needs --mqtt');
  const broker = mqtt === undefined ? undefined : readBroker(mqtt, command);
  if (passwordFile !== undefined && broker?.url.username === '')
    command.error('--password-file: the URL of --mqtt needs a user, such as mqtts://user@host/topic');
  if (tokens !== undefined && !listen) command.error('--tokens: needs --listen');
  if (listen && tokens === undefined && !isLoopback(listen.host))
    command.error(`--tokens: required, because others can reach ${listen.host}`);
  if (columns && !hasTime(columns) && !listen && !broker)
    command.error(
      `option '--columns <LIST>' is invalid without the field time. It must be ${COLUMNS_ALLOWED}.`,
    );
  if (create && stationBy === undefined) command.error('--create: needs --station-by');
  const isOutside = broker !== undefined && stationBy?.column.startsWith('topic:') === true;
  const most = broker?.topic.endsWith('#') ? MOST_TOPIC_LEVELS : broker?.topic.split('/').length;
  if (isOutside && !(topicLevel(stationBy) <= Number(most)))
    command.error(`--station-by: must be topic:1 to topic:${most} for the topic ${broker.topic}`);
  const settings = {
    ...UNKNOWN,
    weighting: given.weighting ?? null,
    time_weighting: timeWeighting ?? null,
    statistic: statistic ?? null,
    interval_ms: given.window ?? null,
    reference_db: referenceDb ?? null,
    instrument: given.instrument ?? null,
  };
  /** The column whose value names the station. */
  const by = isOutside ? undefined : stationBy?.column;
  const where = Map.groupBy(given.where, ({ name }) => name);
  /** How another logger wrote its lines. */
  const layout = columns && {
    ...given,
    columns,
    timeFormat: given.timeFormat ?? AUTO,
    scale: given.scale ?? 1,
    /** Added to each level. Undefined if no option gives it: levels above 0 are then an error. */
    offsetDb: referenceDb === undefined ? given.offsetDb : -referenceDb,
    /** The values of columns that select a line; * stands for all. */
    where: [
      ...Array.from(where, ([name, some]) => ({ name, values: some.map(({ value }) => value) })),
      ...(by === undefined ? [] : [{ name: by, values: ['*'] }]),
    ],
    by,
    /** The spacing of repeated points, and the longest time that a level lasts, in milliseconds. */
    hold: hold === undefined ? undefined : { stepMs: hold, maxMs: holdMax ?? 3_600_000 },
    /** Whether quoted values may have line breaks. */
    spansLines: given.follow !== true,
  };
  return {
    ...given,
    layout,
    /** The reference of an export with sound pressure levels; null if no option gives it. */
    referenceDb: referenceDb ?? null,
    /** How the points were recorded; undefined if no option gives it. */
    as: levels.length > 0 ? { settings, isNewPeriod: false } : undefined,
    broker,
    /** Undefined if all points belong to one station. Outside, the value comes with a delivery rather than in its lines. */
    stationBy: stationBy && { ...stationBy, creates: create, isOutside },
    mode: storingMode(given.add === true, given.replace === true),
  };
}
export type ImportOptions = ReturnType<typeof readImport>;
export type Layout = NonNullable<ImportOptions['layout']>;

function encodingOf(name: string): string | undefined {
  try {
    return new TextDecoder(name).encoding;
  } catch {
    return undefined;
  }
}

function parseWhere(text: string) {
  const [, name, value = ''] = /^\s*([^=]*[^=\s])\s*=(.*)$/s.exec(text) ?? [];
  return name === undefined ? undefined : { name, value: value.trim() };
}

/** @returns undefined if the text is not {@link STATION_BY_ALLOWED} */
function parseStationBy(text: string) {
  const [column = '', ...rest] = text.split('=');
  const stations = new Map<string, string>();
  for (const pair of rest.length > 0 ? rest.join('=').split(',') : []) {
    const end = pair.lastIndexOf(':');
    const station = pair.slice(end + 1).trim();
    if (end < 0 || !isAnyStation(station)) return undefined;
    stations.set(pair.slice(0, end).trim(), station);
  }
  return column.trim() === '' ? undefined : { column: column.trim(), stations };
}

/** @returns the level of the topic that names the station, counted from 1; NaN if a column does */
export const topicLevel = ({ column }: { readonly column: string }): number =>
  Number(/^topic:([1-9]\d?)$/.exec(column)?.[1]);
