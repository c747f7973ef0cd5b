// Watches one station: finds what to report, and stores messages in the outbox together with the progress of the watch.
import { type AudioMetricsClient, isServiceError } from '../client/index.ts';
import { messageOf } from '../commands/progress.ts';
import { aheadOf, instantOf, instantOfMicros, microsOf } from '../contract/instant.ts';
import { type Message, type MessageKind, MOST_CAUSES } from '../contract/messages.ts';
import type { Levels } from '../contract/periods.ts';
import type { StationNow, StationOverview } from '../operations/stations/contract.ts';
import type { NotifyOptions } from './notify-options.ts';
import type { Outbox } from './outbox.ts';
import { createEventSearch, leastHold, type NotifyRule } from './search-events.ts';
import type { Facts } from './sentences.ts';

type Report = Facts extends infer Each ? (Each extends Facts ? Omit<Each, 'left_out'> : never) : never;

/** The progress of a station's watch, as the outbox stores it. */
interface Progress {
  /** Events that ended before this time need no report. */
  from: string;
  /** The start of an event that has begun and not ended; null if there is none. */
  started: string | null;
  /** The newest point before a reported silence. */
  silentSince: string | null;
  /** The end of the newest night that was checked. */
  night: string | null;
  sent: Partial<Record<MessageKind, Sent>>;
}

interface Sent {
  /** When the last message of the kind was sent, in milliseconds since 1970. */
  readonly at: number;
  readonly leftOut: number;
  /** The id of the last message left out, so that it counts only once. */
  readonly lastLeftOut: string | undefined;
}

/** After a long pause, a watch skips events older than this, in milliseconds. */
const OLDEST_MS = 86_400_000;
/** While points arrive, a search runs at least this often, in milliseconds, because some points are late. */
const SWEEP_MS = 30_000;
/** An event found this long after its end is only reported as ended, in milliseconds. */
const NEWS_MS = 60_000;
const RETRY_MS = 10_000;
const HALF_HOUR = 1_800_000_000n;

export type StationWatch = ReturnType<typeof createStationWatch>;

interface WatchOptions {
  readonly name: string;
  readonly client: AudioMetricsClient;
  readonly options: NotifyRule & Pick<NotifyOptions, 'on' | 'every' | 'silentAfter' | 'levels'>;
  /** The start if the station was not watched before. Canonical. */
  readonly from: string;
  readonly outbox: Pick<Outbox, 'progressOf' | 'keep'>;
  /** Adds the title, the text and the link of a message. */
  readonly wordsOf: (facts: Facts) => Message;
  /** Queues a search: few run at a time. */
  readonly queue: (search: () => Promise<void>) => Promise<void>;
  readonly signal: AbortSignal;
  readonly say: (line: string) => void;
  /** Shows a message that the outbox has stored. */
  readonly note: (line: string) => void;
}

export function createStationWatch(watched: WatchOptions) {
  const { name, client, options, outbox, wordsOf, queue, signal, say, note } = watched;
  const now = Date.now;
  const before = outbox.progressOf(name);
  let progress = readProgress(before, watched.from, now());
  if (!before) outbox.keep(name, progress, []); // the next start continues from here
  let kept = JSON.stringify(progress);
  let events: { levels: Levels; search: ReturnType<typeof createEventSearch> } | undefined;
  /** The newest point of the last search, and when it ran, by performance.now(). */
  let searched = { time: '', at: Number.NEGATIVE_INFINITY };
  /** The time of the next search after a failed one, by performance.now(). */
  let retryAt = Number.NEGATIVE_INFINITY;
  let trigger = { halfHour: -1n, level: Number.POSITIVE_INFINITY };
  let lastFault = '';
  let isSilent = false;
  let isSearching = false;

  /** @returns whether a message of the kind may be sent now; if not, counts it as left out */
  function mayReport(kind: MessageKind, id: string): boolean {
    const { at = Number.NEGATIVE_INFINITY, leftOut = 0, lastLeftOut } = progress.sent[kind] ?? {};
    const passed = now() - at; // below 0 if a clock was set back
    if (!options.on.includes(kind) || passed >= options.every || passed < 0) return true;
    if (lastLeftOut !== id) progress.sent[kind] = { at, leftOut: leftOut + 1, lastLeftOut: id };
    return false;
  }

  /** Stores the progress, with a message if there is a report and its kind is chosen. */
  function keep(report?: Report): void {
    const messages: Message[] = [];
    if (report && options.on.includes(report.kind)) {
      const { leftOut = 0, lastLeftOut } = progress.sent[report.kind] ?? {};
      const left_out = leftOut - (lastLeftOut === report.id ? 1 : 0);
      messages.push(wordsOf({ ...report, left_out }));
      progress.sent[report.kind] = { at: now(), leftOut: 0, lastLeftOut: undefined };
    }
    const text = JSON.stringify(progress);
    if (messages.length === 0 && text === kept) return;
    try {
      outbox.keep(name, progress, messages);
    } catch (error) {
      progress = JSON.parse(kept); // so that the next search finds and reports it again
      events = undefined;
      throw error;
    }
    kept = text;
    for (const { text: line } of messages) note(line);
  }

  const idOf = (kind: MessageKind, what: string) => `${name}~${kind}~${what}`;

  /** @param age of the newest point, in milliseconds */
  function checkSilence(newest: string, age: number): void {
    isSilent = age >= options.silentAfter;
    const since = progress.silentSince ?? newest;
    const kind = isSilent ? 'silent' : 'back';
    const id = idOf(kind, since);
    if (isSilent === (progress.silentSince !== null)) return;
    const isToReport = mayReport(kind, id); // if not, a later check reports it, unless the state changes back
    if (isToReport) progress.silentSince = isSilent ? newest : null;
    keep(isToReport ? { kind, id, station: name, since } : undefined);
  }

  async function searchEvents(newest: string, levels: Levels): Promise<void> {
    if (progress.from > aheadOf(newest)) {
      // a clock was set back
      Object.assign(progress, { from: instantOf(Date.parse(newest) - NEWS_MS), started: null });
      events = undefined;
    }
    if (events?.levels !== levels)
      events = { levels, search: createEventSearch(client, options, levels, progress.from, signal) };
    const { search } = events;
    let isOpen = false;
    for await (const { event, scale, isOver } of search.upTo(newest)) {
      const what = `${event.start}~${options.threshold ?? `+${options.aboveBackground}`}`;
      const message = (kind: 'start' | 'end') =>
        ({ kind, id: idOf(kind, what), station: name, ...event, scale }) as const;
      const { started } = progress;
      // a late point may have moved the event's start
      if (started === null || started < event.start || started >= event.end) {
        progress.started = event.start;
        const isNews = Date.parse(newest) - Date.parse(event.end) < NEWS_MS && !event.truncated_start;
        const isToReport = isNews && mayReport('start', idOf('start', what));
        keep(isToReport ? message('start') : undefined);
      }
      isOpen = !isOver;
      if (isOpen) continue; // an open event is the last
      progress.from = event.end;
      progress.started = null;
      keep(mayReport('end', idOf('end', what)) ? message('end') : undefined);
    }
    if (!isOpen) search.skipQuiet(newest);
    progress.from = search.from;
    // an event is found once it lasts for the minimum: until then, a start that was sent before counts
    const least = options.minDuration + leastHold(options.hold);
    const isYoung = progress.started !== null && Date.parse(newest) - Date.parse(progress.started) <= least;
    if (!isOpen && !isYoung) progress.started = null; // the points of that event may be gone
    keep();
  }

  async function nightReport(night: NonNullable<StationOverview['night']>, levels: Levels) {
    const { from, to } = night;
    const [{ parts, scale }, { uncertainty_db, min_measured_percent }] = await Promise.all([
      client.stats.why.query({ from, to, levels }, { signal }),
      client.service.info.query(undefined, { signal }),
    ]);
    const episodes = parts.find((part) => part.from === from)?.episodes ?? [];
    const causes = episodes
      .filter(({ kind }) => kind !== 'background')
      .slice(0, MOST_CAUSES)
      .map(({ runs: _runs, again: _again, ...cause }) => cause);
    return { ...night, uncertainty_db, min_measured_percent, causes, scale };
  }

  /** The level that a point must exceed to be worth a search for events. */
  async function triggerAt(newest: string, levels: Levels): Promise<number> {
    if (options.aboveBackground === undefined) return options.threshold ?? Number.NEGATIVE_INFINITY;
    const halfHour = microsOf(newest) / HALF_HOUR; // the background changes with it
    if (trigger.halfHour !== halfHour) {
      const to = instantOfMicros(microsOf(newest) + 1n);
      const input = {
        from: newest,
        to,
        bucket: '1s',
        levels,
        above_background: options.aboveBackground,
      } as const;
      const series = client.events.series.query(input, { signal });
      // without a background, no point triggers a search; without a known scale, every point does
      const level = await series.then(
        ({ buckets }) => buckets[0]?.threshold_db ?? Number.POSITIVE_INFINITY,
        ifRefused,
      );
      trigger = { halfHour, level: level - 1 };
    }
    return trigger.level;
  }

  async function searchIfDue(time: string, { max_10s_db, scale }: StationNow): Promise<void> {
    const levels = options.levels ?? scale?.levels ?? 'stored';
    const isDue = progress.started !== null || performance.now() - searched.at >= SWEEP_MS;
    if (!isDue && !((max_10s_db ?? Number.NEGATIVE_INFINITY) > (await triggerAt(time, levels)))) return;
    await searchEvents(time, levels);
    searched = { time, at: performance.now() };
  }

  function fault(what: string, error: unknown): void {
    const reason = messageOf(error);
    if (!signal.aborted && reason !== lastFault) say(`${name}: ${what}: ${reason}`);
    lastFault = reason;
  }

  return {
    /** Checks for silence, and searches for events unless a search is running. @param age of the newest point, in ms */
    async check(row: StationNow, age: number): Promise<void> {
      const { time } = row;
      if (time === null) return;
      try {
        checkSilence(time, age);
        if (isSearching || time === searched.time || performance.now() < retryAt) return;
        isSearching = true;
        await queue(() => searchIfDue(time, row)).finally(() => {
          isSearching = false;
        });
        lastFault = '';
      } catch (error) {
        fault('noise events cannot be reported yet', error);
        retryAt = performance.now() + RETRY_MS;
      }
    },

    /** Reports a night that has ended since the last check. */
    async checkNight({ night, scale }: StationOverview): Promise<void> {
      if (!night || !scale) return;
      const { to, state } = night;
      if (progress.night !== null && progress.night > instantOf(now())) progress.night = null; // a clock was set back
      const isNew = () => progress.night === null || to > progress.night;
      if (!isNew()) return;
      try {
        const isReported = progress.night !== null && (state === 'over' || state === 'undecided');
        const report = isReported && options.on.includes('night') && (await nightReport(night, scale.levels));
        if (!isNew()) return; // an earlier check has reported it meanwhile
        progress.night = to;
        keep(report ? { kind: 'night', id: idOf('night', to), station: name, ...report } : undefined);
      } catch (error) {
        fault(`the night until ${to} cannot be reported yet`, error);
      }
    },

    get hasEvent() {
      return progress.started !== null;
    },
    get isSilent() {
      return isSilent;
    },
  };
}

/** @param kept the progress in the outbox; undefined for a new watch */
function readProgress(kept: unknown, from: string, now: number): Progress {
  const progress: Progress = { from, started: null, silentSince: null, night: null, sent: {} };
  if (!kept) return progress;
  Object.assign(progress, kept);
  const oldest = instantOf(now - OLDEST_MS);
  return progress.from < oldest ? { ...progress, from: oldest, started: null } : progress;
}

/** @returns a level below every point if the service refused the request with 400. @throws any other error */
function ifRefused(error: Error): number {
  if (isServiceError(error) && error.data.httpStatus === 400) return Number.NEGATIVE_INFINITY;
  throw error;
}
