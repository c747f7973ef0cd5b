// The options of notifications, for `watch` and `serve`.
import type { Command } from 'commander';
import { z } from 'zod';
import {
  ANY_TEXT,
  apart,
  choice,
  decibels,
  declareOptions,
  INSTANT,
  preset,
  read,
  repeatable,
  STATION,
  type ValuesOf,
} from '../commands/command-options.ts';
import { DEFAULT_ABOVE_BACKGROUND_DB } from '../contract/default-event-rule.ts';
import { durationBetween, INSTANT_ALLOWED } from '../contract/instant.ts';
import { FLOOR_DB } from '../contract/level-unit.ts';
import { MessageKind } from '../contract/messages.ts';
import { Levels } from '../contract/periods.ts';
import { isLanguage, LANGUAGES } from '../texts/languages.ts';
import { problemOf, RECEIVERS, receiverKey } from './open-receiver.ts';

const THRESHOLD = 'a number of dB, from -50 to 0 with stored levels';
const ABOVE = 'a number of dB from 3 to 60';
const HTTP = 'an http or https address, without user, password, query or fragment';
const KINDS = `one or more of ${MessageKind.options.join(', ')}, separated by commas`;

/** @param more URLs beside `--notify`. @throws a usage error, without a receiver's URL: it may contain a password */
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
  if (new Set(notify.map((url) => receiverKey(new URL(url)))).size < notify.length)
    command.error('--notify: the same receiver is given twice; remove one');
  if (given.link !== undefined) assertHttp('--link', given.link, command);
  const {
    threshold,
    levels,
    aboveBackground = threshold === undefined ? DEFAULT_ABOVE_BACKGROUND_DB : undefined,
  } = given;
  if (levels === 'stored' && threshold !== undefined && !(threshold >= FLOOR_DB && threshold <= 0))
    command.error(`--threshold: must be ${THRESHOLD}; --levels absolute takes sound pressure levels`);
  return { ...given, notify, ...(aboveBackground !== undefined && { aboveBackground }) };
}

const parseKinds = (text: string): MessageKind[] | undefined =>
  z.array(MessageKind).safeParse(text.split(',').map((kind) => kind.trim())).data;

/** @throws a usage error of the command. It never repeats the address, which may contain a password */
export function assertHttp(name: string, text: string, command: Command): void {
  const url = /^https?:/.test(text) && URL.canParse(text) ? new URL(text) : undefined;
  if (!url || url.username + url.password + url.search + url.hash !== '')
    command.error(`${name}: must be ${HTTP}`);
}

const dB = (least: number, most: number, allowed: string) => ({ ...decibels(least, most), allowed });

const upToHour = durationBetween('0s', '1h');
const HOLD = {
  allowed: `${upToHour.allowed}, or auto`,
  parse: (text: string): number | 'auto' | undefined => (text === 'auto' ? text : upToHour.parse(text)),
};
const upToDay = durationBetween('0s', '1d');
/** Lengths are in milliseconds. */
const OPTIONS = {
  help: {
    '--notify <URL>': `sends messages to this receiver; may be repeated. It ${RECEIVERS}`,
    '--station <NAME>': 'only this station (default: all with --notify, otherwise the default station)',
    '--on <KINDS>': `which kinds to report: ${KINDS}`,
    '--threshold <DB>': `sound above this level is a noise event: ${THRESHOLD}. For calibrated stations, a sound pressure level by default`,
    '--above-background <DB>': `without --threshold, sound this far above the background is a noise event: ${ABOVE} (default: ${DEFAULT_ABOVE_BACKGROUND_DB})`,
    '--levels <WHICH>':
      'the scale of --threshold and of levels in messages (default: absolute for a calibrated station, else stored)',
    '--hold <LENGTH>':
      'how long a noise event may dip below its threshold, up to 1h; auto is twice the spacing of points, but at least 1 s',
    '--min-duration <LENGTH>':
      'shorter noise events are not reported, up to 1d; 0s reports shots and bangs too',
    '--silent-after <LENGTH>': 'a recorder counts as silent after this long without points, from 1m to 1d',
    '--every <LENGTH>': 'sends at most one message per kind and station in this time, up to 1d; 0s sends all',
    '--mqtt-every <LENGTH>': 'how often brokers get the state of each station, from 1s to 1h',
    '--link <URL>': `where people reach the page, for links in messages: ${HTTP}`,
    '--language <LANGUAGE>': 'the language of messages',
    '--from <TIME>': `for a station not watched before, the time to start from, such as now-1h: ${INSTANT_ALLOWED}`,
  },
  kinds: {
    notify: repeatable(ANY_TEXT),
    station: read(STATION),
    on: preset(read({ allowed: KINDS, parse: parseKinds }), [...MessageKind.options], 'all'),
    threshold: apart(read(dB(-50, 250, THRESHOLD)), 'aboveBackground'),
    aboveBackground: read(dB(3, 60, ABOVE)),
    levels: choice(Levels.options),
    hold: preset(read(HOLD), 10_000, '10s'),
    minDuration: preset(read(upToDay), 5000, '5s'),
    silentAfter: preset(read(durationBetween('1m', '1d')), 300_000, '5m'),
    every: preset(read(upToDay), 600_000, '10m'),
    mqttEvery: preset(read(durationBetween('1s', '1h')), 5000, '5s'),
    link: read(ANY_TEXT),
    language: preset(choice(Object.keys(LANGUAGES).filter(isLanguage)), 'en'),
    from: preset(read(INSTANT), 'now'),
  },
};

export type NotifyOptions = ValuesOf<typeof OPTIONS>;

export const declareNotify = (command: Command): Command => declareOptions(command, OPTIONS);
