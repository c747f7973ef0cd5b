// Watches one station: finds what it has to report, and hands that to the outbox together with how far it is.
import { type AudioMetricsClient, isServiceError } from '../client/index.ts';
import { instantOf, instantOfMicros, microsOf } from '../contract/instant.ts';
import type { Message, MessageKind } from '../contract/messages.ts';
import type { Levels } from '../contract/periods.ts';
import type { StationNow, StationOverview } from '../contract/stations.ts';
import type { NotifyOptions } from './notify-options.ts';
import type { Outbox } from './outbox.ts';
import { createEventSearch, type EventRule } from './search-events.ts';
import type { Facts } from './sentences.ts';

type Report = Facts extends infer Each ? (Each extends Facts ? Omit<Each, 'left_out'> : never) : never;

/** How far a station is, in the outbox. */
interface Place {
  /** Events that ended before are reported. */
  from: string;
  /** The start of the event that is reported as started, and not as ended. */
  started: string | null;
  /** The newest point before the silence that is reported. */
  silentSince: string | null;
  /** The end of the newest night that was looked at. */
  night: string | null;
  sent: Partial<Record<MessageKind, Sent>>;
}

interface Sent {
  /** When the last message of the kind was sent, in milliseconds since 1970. */
  readonly at: number;
  readonly leftOut: number;
  /** What was left out last: it counts once. */
  readonly lastLeftOut: string | undefined;
}

/** A station that was not watched for longer starts anew from there, in milliseconds: its messages would be too old. */
const OLDEST_MS = 86_400_000;
/** Events are looked for at least so often while points come, in milliseconds: those of late points. */
const SWEEP_MS = 30_000;
/** If an event ended longer ago when it is found, only its end is reported. In milliseconds. */
const NEWS_MS = 60_000;
/** Nothing is looked for after a fault for so long, in milliseconds. */
const FAULT_MS = 10_000;
const HALF_HOUR = 1_800_000_000n;

export type StationWatch = ReturnType<typeof createStationWatch>;

export interface WatchOptions {
  readonly name: string;
  /** Of the station. */
  readonly client: AudioMetricsClient;
  readonly options: EventRule & Pick<NotifyOptions, 'on' | 'every' | 'silentAfter' | 'levels'>;
  /** Where it begins if it was not watched before. Canonical. */
  readonly from: string;
  readonly outbox: Pick<Outbox, 'placeOf' | 'keep'>;
  /** Completes a message. */
  readonly wordsOf: (facts: Facts) => Message;
  /** Runs a look when few others are under way. */
  readonly inTurn: (look: () => Promise<void>) => Promise<void>;
  /** Aborts when the notifier stops. */
  readonly signal: AbortSignal;
  /** Shows a line to the operator: of a fault, and that of a message which was kept. */
  readonly say: (line: string) => void;
  readonly note: (line: string) => void;
}

export function createStationWatch(watched: WatchOptions) {
  const { name, client, options, outbox, wordsOf, inTurn, signal, say, note } = watched;
  const now = Date.now;
  const before = outbox.placeOf(name);
  let place = readPlace(before, watched.from, now());
  if (!before) outbox.keep(name, place, []); // the next start goes on from here
  let kept = JSON.stringify(place);
  let search: { levels: Levels; found: ReturnType<typeof createEventSearch> } | undefined;
  let seen = { time: '', at: Number.NEGATIVE_INFINITY };
  /** After a fault no look is worth a query before then. */
  let notBefore = Number.NEGATIVE_INFINITY;
  let trigger = { since: '', level: Number.POSITIVE_INFINITY };
  let refusal = '';
  let isSilent = false;
  let isAtWork = false;

  /** @returns whether the kind may be sent now; if not, counts what is left out */
  function mayReport(kind: MessageKind, id: string): boolean {
    const { at = Number.NEGATIVE_INFINITY, leftOut = 0, lastLeftOut } = place.sent[kind] ?? {};
    if (!options.on.includes(kind) || now() - at >= options.every * 1000) return true;
    if (lastLeftOut !== id) place.sent[kind] = { at, leftOut: leftOut + 1, lastLeftOut: id };
    return false;
  }

  /** Keeps how far the station is, with a message if there is one and its kind is chosen. */
  function keep(report?: Report): void {
    const messages: Message[] = [];
    if (report && options.on.includes(report.kind)) {
      const { leftOut = 0, lastLeftOut } = place.sent[report.kind] ?? {};
      const left_out = leftOut - (lastLeftOut === report.id ? 1 : 0);
      messages.push(wordsOf({ ...report, left_out }));
      place.sent[report.kind] = { at: now(), leftOut: 0, lastLeftOut: undefined };
    }
    const text = JSON.stringify(place);
    if (messages.length === 0 && text === kept) return;
    try {
      outbox.keep(name, place, messages);
    } catch (error) {
      place = JSON.parse(kept); // so that it is found and reported again
      search = undefined;
      throw error;
    }
    kept = text;
    for (const { text: line } of messages) note(line);
  }

  const idOf = (kind: MessageKind, what: string) => `${name}~${kind}~${what}`;

  /** @param age of the newest point, in milliseconds */
  function seeSilence(newest: string, age: number): void {
    isSilent = age >= options.silentAfter * 1000;
    const since = place.silentSince ?? newest;
    const kind = isSilent ? 'silent' : 'back';
    const id = idOf(kind, since);
    if (isSilent === (place.silentSince !== null)) return;
    const isToReport = mayReport(kind, id); // else later, if it is still so
    if (isToReport) place.silentSince = isSilent ? newest : null;
    keep(isToReport ? { kind, id, station: name, since } : undefined);
  }

  async function seeEvents(newest: string, levels: Levels): Promise<void> {
    if (search?.levels !== levels)
      search = { levels, found: createEventSearch(client, options, levels, place.from, signal) };
    const { found } = search;
    let isOpen = false;
    for await (const { event, scale, isOver } of found.upTo(newest)) {
      const what = `${event.start}~${options.threshold ?? `+${options.aboveBackground}`}`;
      const message = (kind: 'start' | 'end') =>
        ({ kind, id: idOf(kind, what), station: name, ...event, scale }) as const;
      const { started } = place;
      // a late point may have moved its start
      if (started === null || started < event.start || started >= event.end) {
        place.started = event.start;
        const isNews = Date.parse(newest) - Date.parse(event.end) < NEWS_MS && !event.truncated_start;
        const isToReport = isNews && mayReport('start', idOf('start', what));
        keep(isToReport ? message('start') : undefined);
      }
      isOpen = !isOver;
      if (isOpen) continue; // it is the last
      place.from = event.end;
      place.started = null;
      keep(mayReport('end', idOf('end', what)) ? message('end') : undefined);
    }
    if (!isOpen) found.skipQuiet(newest);
    place.from = found.from;
    if (!isOpen) place.started = null; // its points may be gone
    keep();
  }

  async function nightReport(night: NonNullable<StationOverview['night']>, levels: Levels) {
    const { from, to } = night;
    const input = { from, to, levels, limit: 1 };
    const [{ worst, scale }, { uncertainty_db, min_measured_percent }] = await Promise.all([
      client.stats.worst.query(input, { signal }),
      client.service.info.query(undefined, { signal }),
    ]);
    return { ...night, uncertainty_db, min_measured_percent, worst: worst[0] ?? null, scale };
  }

  /** The level above which a look for events is worth a query. */
  async function triggerAt(newest: string, levels: Levels): Promise<number> {
    if (options.aboveBackground === undefined) return options.threshold ?? Number.NEGATIVE_INFINITY;
    const half = microsOf(newest) / HALF_HOUR;
    const [from, to] = [instantOfMicros((half - 1n) * HALF_HOUR), instantOfMicros(half * HALF_HOUR)];
    if (trigger.since !== to) {
      const background = client.stats.summary.query({ from, to, levels }, { signal });
      // after a half hour without levels no point is above; that of a half hour of two scales is not known
      const level = await background.then(({ l90_db }) => l90_db ?? Number.POSITIVE_INFINITY, ifRefused);
      trigger = { since: to, level: level + options.aboveBackground - 1 };
    }
    return trigger.level;
  }

  async function look(time: string, { max_10s_db, scale }: StationNow): Promise<void> {
    const levels = options.levels ?? scale?.levels ?? 'stored';
    const isDue = place.started !== null || now() - seen.at >= SWEEP_MS;
    if (!isDue && !((max_10s_db ?? Number.NEGATIVE_INFINITY) > (await triggerAt(time, levels)))) return;
    await seeEvents(time, levels);
    seen = { time, at: now() };
  }

  /** Shows a fault that is not the one before. */
  function fault(what: string, error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error);
    if (!signal.aborted && reason !== refusal) say(`${name}: ${what}: ${reason}`);
    refusal = reason;
  }

  return {
    /**
     * Looks at what the station measures now. Looks for events only if no earlier look is at work.
     *
     * @param age of the newest point, in milliseconds
     */
    async see(row: StationNow, age: number): Promise<void> {
      const { time } = row;
      if (time === null) return;
      try {
        seeSilence(time, age);
        if (isAtWork || time === seen.time || now() < notBefore) return;
        isAtWork = true;
        await inTurn(() => look(time, row)).finally(() => {
          isAtWork = false;
        });
        refusal = '';
      } catch (error) {
        fault('what happens there cannot be reported yet', error);
        notBefore = now() + FAULT_MS;
      }
    },

    /** Looks whether a night has ended since the last one. */
    async seeNight({ night, scale }: StationOverview): Promise<void> {
      if (!night || !scale) return;
      const { to, state } = night;
      const isNew = () => place.night === null || to > place.night;
      if (!isNew()) return;
      try {
        const isReported = place.night !== null && (state === 'over' || state === 'undecided');
        const report = isReported && options.on.includes('night') && (await nightReport(night, scale.levels));
        if (!isNew()) return; // an earlier look has reported it meanwhile
        place.night = to;
        keep(report ? { kind: 'night', id: idOf('night', to), station: name, ...report } : undefined);
      } catch (error) {
        fault(`the night until ${to} cannot be reported yet`, error);
      }
    },

    get hasEvent() {
      return place.started !== null;
    },
    get isSilent() {
      return isSilent;
    },
  };
}

/** @param kept by the outbox, if anything */
function readPlace(kept: unknown, from: string, now: number): Place {
  const place: Place = { from, started: null, silentSince: null, night: null, sent: {} };
  if (!kept) return place;
  Object.assign(place, kept);
  const oldest = instantOf(now - OLDEST_MS);
  return place.from < oldest ? { ...place, from: oldest, started: null } : place;
}

/** @returns a level that every point is above. @throws the error, unless the service refused the request with 400 */
function ifRefused(error: Error): number {
  if (isServiceError(error) && error.data.httpStatus === 400) return Number.NEGATIVE_INFINITY;
  throw error;
}
