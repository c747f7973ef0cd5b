// The options of notifications, for `watch` and `serve`.
import { type Command, InvalidArgumentError, Option } from 'commander';
import { INSTANT_ALLOWED } from '../contract/instant.ts';
import { InstantInput } from '../contract/instant-schema.ts';
import { FLOOR_DB } from '../contract/level-unit.ts';
import { MessageKind } from '../contract/messages.ts';
import { MAX_HOLD_SECONDS } from '../contract/noise-events.ts';
import { Levels } from '../contract/periods.ts';
import { readStation } from '../station-option.ts';
import { keyOf, problemOf, RECEIVERS } from './open-receiver.ts';
import type { NotifyLanguage } from './sentences.ts';

export interface NotifyOptions {
  /** URLs, which may hold credentials. */
  readonly notify: readonly string[];
  /** Only this station. By default, all that the caller may query. */
  readonly station?: string;
  readonly on: readonly MessageKind[];
  readonly threshold?: number;
  readonly aboveBackground?: number;
  readonly levels?: Levels;
  readonly hold?: number;
  readonly minDuration: number;
  readonly silentAfter: number;
  readonly every: number;
  readonly mqttEvery: number;
  /** The address at which people reach the page. */
  readonly link?: string;
  readonly language: NotifyLanguage;
  readonly from: string;
}

const THRESHOLD = 'a number of dB, from -50 to 0 with stored levels';
const ABOVE = 'a number of dB from 3 to 60';
/** Used if neither --threshold nor --above-background is given, dB. */
const ABOVE_DEFAULT = 10;
const HTTP = 'an http or https address, without user, password, query or fragment';
const KINDS = `one or more of ${MessageKind.options.join(', ')}, separated by commas`;
const DAY = 86_400;

/**
 * Checks the options, and completes them.
 *
 * @param more URLs besides those of `--notify`
 * @throws a usage error of the command. It never repeats a receiver's URL, which may contain a password
 */
export function readNotify(
  given: NotifyOptions,
  command: Command,
  more: readonly string[] = [],
): NotifyOptions {
  const notify = [...given.notify, ...more];
  for (const url of notify) {
    const problem = problemOf(url);
    if (problem !== undefined) command.error(`--notify: ${problem}`);
  }
  if (new Set(notify.map((url) => keyOf(new URL(url)))).size < notify.length)
    command.error('--notify: the same receiver is given twice; remove one');
  if (given.link !== undefined) assertHttp('--link', given.link, command);
  const { threshold, levels, aboveBackground = threshold === undefined ? ABOVE_DEFAULT : undefined } = given;
  if (levels === 'stored' && threshold !== undefined && !(threshold >= FLOOR_DB && threshold <= 0))
    command.error(`--threshold: must be ${THRESHOLD}; --levels absolute takes sound pressure levels`);
  return { ...given, notify, ...(aboveBackground !== undefined && { aboveBackground }) };
}

function readKinds(text: string): MessageKind[] {
  const kinds = text.split(',').map((kind) => MessageKind.safeParse(kind.trim()).data);
  if (kinds.includes(undefined)) throw new InvalidArgumentError(`It must be ${KINDS}.`);
  return kinds.flatMap((kind) => kind ?? []);
}

/** @throws a usage error of the command. It never repeats the address, which may contain a password */
export function assertHttp(name: string, text: string, command: Command): void {
  const url = /^https?:/.test(text) && URL.canParse(text) ? new URL(text) : undefined;
  if (!url || url.username + url.password + url.search + url.hash !== '')
    command.error(`${name}: must be ${HTTP}`);
}

function readNumber(least: number, most: number, allowed: string) {
  return (text: string): number => {
    const number = /^-?\d{1,3}(\.\d{1,6})?$/.test(text) ? Number(text) : Number.NaN;
    if (!(number >= least && number <= most)) throw new InvalidArgumentError(`It must be ${allowed}.`);
    return number;
  };
}

function readFrom(text: string): string {
  if (!InstantInput.safeParse(text).success) throw new InvalidArgumentError(`It must be ${INSTANT_ALLOWED}.`);
  return text;
}

const UNIT_SECONDS: Readonly<Record<string, number>> = { ms: 0.001, s: 1, m: 60, h: 3600, d: DAY };

/** Converts a length of time to seconds. */
function lengthFrom(least: number, most: number, range: string) {
  const allowed = `a length of time such as 500ms, 1s or 2m, ${range}`;
  const read = (text: string): number => {
    const [, number, unit = ''] = /^(\d{1,7}(?:\.\d{1,3})?)(ms|s|m|h|d)$/.exec(text) ?? [];
    const seconds = Number(number) * (UNIT_SECONDS[unit] ?? Number.NaN);
    if (!(seconds >= least && seconds <= most)) throw new InvalidArgumentError(`It must be ${allowed}.`);
    return Math.round(seconds * 1e6) / 1e6;
  };
  return { allowed, read };
}

const hold = lengthFrom(0, MAX_HOLD_SECONDS, 'up to an hour');
const upToDay = lengthFrom(0, DAY, 'up to a day');
// at least a minute: a lost connection is noticed after 45 s
const silent = lengthFrom(60, DAY, 'from 1m to a day');
const option = (flags: string, description: string) => new Option(flags, description);
const OPTIONS = [
  option('--notify <URL>', `sends messages to this receiver; may be repeated. It ${RECEIVERS}`)
    .default([], 'none')
    .argParser((text: string, before: readonly string[]) => [...before, text]),
  option(
    '--station <NAME>',
    'only this station (default: all with --notify, otherwise the default station)',
  ).argParser(readStation),
  option('--on <KINDS>', `which kinds to report: ${KINDS}`)
    .default([...MessageKind.options], 'all')
    .argParser(readKinds),
  option(
    '--threshold <DB>',
    `sound above this level is a noise event: ${THRESHOLD}. For calibrated stations, a sound pressure level by default`,
  )
    .argParser(readNumber(-50, 250, THRESHOLD))
    .conflicts('aboveBackground'),
  option(
    '--above-background <DB>',
    `without --threshold, sound this far above the background is a noise event: ${ABOVE} (default: ${ABOVE_DEFAULT})`,
  ).argParser(readNumber(3, 60, ABOVE)),
  option(
    '--levels <WHICH>',
    'the scale of --threshold and of levels in messages (default: absolute for a calibrated station, else stored)',
  ).choices(Levels.options),
  option(
    '--hold <LENGTH>',
    `how long a noise event may dip below its threshold (default: twice the spacing of points, but at least 1 s): ${hold.allowed}`,
  ).argParser(hold.read),
  option('--min-duration <LENGTH>', `shorter noise events are not reported: ${upToDay.allowed}`)
    .default(0, '0s')
    .argParser(upToDay.read),
  option(
    '--silent-after <LENGTH>',
    `a recorder counts as silent after this long without points: ${silent.allowed}`,
  )
    .default(300, '5m')
    .argParser(silent.read),
  option(
    '--every <LENGTH>',
    `sends at most one message per kind and station in this time; 0s sends all: ${upToDay.allowed}`,
  )
    .default(600, '10m')
    .argParser(upToDay.read),
  option('--mqtt-every <LENGTH>', 'how often brokers get the state of each station: from 1s to an hour')
    .default(5, '5s')
    .argParser(lengthFrom(1, 3600, 'from 1s to an hour').read),
  option('--link <URL>', `where people reach the page, for links in messages: ${HTTP}`),
  option('--language <LANGUAGE>', 'the language of messages')
    .choices(['en', 'de'] satisfies NotifyLanguage[])
    .default('en'),
  option(
    '--from <TIME>',
    `for a station not watched before, the time to start from, such as now-1h: ${INSTANT_ALLOWED}`,
  )
    .default('now')
    .argParser(readFrom),
];

export function declareNotify(command: Command): Command {
  for (const option of OPTIONS) command.addOption(option);
  return command;
}

/** @returns the given options without those of notifications */
export function withoutNotify(given: object) {
  const names = new Set(OPTIONS.map((option) => option.attributeName()));
  return Object.fromEntries(Object.entries(given).filter(([name]) => !names.has(name)));
}
