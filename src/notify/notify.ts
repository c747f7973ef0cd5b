// Starts what `--notify` declares: a notifier with its receivers.
import { type AudioMetricsClient, createClient } from '../client/index.ts';
import { FIRST_INSTANT, parseInstant } from '../contract/instant.ts';
import { startNotifier } from './notifier.ts';
import type { NotifyOptions } from './notify-options.ts';
import { keyOf, openReceiver } from './open-receiver.ts';
import { linkTo } from './page-link.ts';
import type { Receiver, ReceiverIo } from './receiver.ts';
import { createSentences, type Facts } from './sentences.ts';

/** What it needs of its process. */
export interface NotifyIo extends ReceiverIo {
  readonly apiKey?: string | undefined;
  /** Where it keeps the messages that wait. */
  readonly folder: string;
  /** Shows the line of a message to the operator. */
  note(line: string): void;
  /** The clock, canonical. */
  now(): string;
}

/**
 * @param service its address
 * @param onError receives what ends the work: the service refuses for good
 * @returns what stops it, and settles when all is closed
 */
export async function startNotify(
  service: string,
  options: NotifyOptions,
  io: NotifyIo,
  onError: (error: Error) => void,
): Promise<() => Promise<void>> {
  const { threshold, aboveBackground, levels, hold, minDuration, every, silentAfter, on } = options;
  const root = service.replace(/\/*$/, '');
  const page = (options.link?.href ?? service).replace(/\/*$/, '');
  const receivers = new Map<string, Receiver>();
  for (const url of options.notify.map((text) => new URL(text)))
    receivers.set(keyOf(url), await openReceiver(url, io));
  const sentences = await createSentences(options.language);
  return startNotifier({
    clientOf: (path): AudioMetricsClient => createClient(`${root}${path}`, { apiKey: io.apiKey }),
    station: options.station,
    rule: {
      on,
      threshold,
      aboveBackground,
      levels,
      holdSeconds: hold,
      minDurationSeconds: minDuration,
      everySeconds: every,
      silentAfterSeconds: silentAfter,
      from: parseInstant(options.from, io.now()) ?? FIRST_INSTANT,
    },
    receivers,
    wordsOf(facts, { name, path, place_name, time_zone, limit_db }) {
      const place = { place: place_name ?? name, timeZone: time_zone ?? 'UTC', limit_db, now: Date.now() };
      const [from, to] = stretchOf(facts, io.now());
      const [title, text] = [sentences.titleOf(facts, place), sentences.textOf(facts, place)];
      return { ...facts, title, text, link: linkTo(page, path, from, to) };
    },
    pageOf: (path) => `${page}${path}`,
    showEverySeconds: options.mqttEvery,
    folder: io.folder,
    onError,
    say: io.say,
    note: io.note,
  });
}

/** The stretch of time that a message is about. */
function stretchOf(facts: Facts, now: string): [from: string, to: string] {
  if ('peak_db' in facts) return [facts.start, facts.end];
  return 'worst' in facts ? [facts.from, facts.to] : [facts.since, now];
}
