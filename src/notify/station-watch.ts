// Watches one station: finds what it has to report, and hands that to the outbox together with how far it is.
import { type AudioMetricsClient, isServiceError } from '../client/index.ts';
import { instantOf, microsOf } from '../contract/instant.ts';
import type { Message, MessageKind } from '../contract/messages.ts';
import type { Levels } from '../contract/periods.ts';
import type { StationNow, StationOverview } from '../contract/stations.ts';
import type { Outbox } from './outbox.ts';
import { createEventSearch, type EventRule } from './search-events.ts';
import type { Facts } from './sentences.ts';

export interface WatchRule extends EventRule {
  /** The kinds that are reported. */
  readonly on: readonly MessageKind[];
  /** At most one message of a kind in so many seconds. */
  readonly everySeconds: number;
  readonly silentAfterSeconds: number;
  /** Of the threshold and the levels of messages; by default absolute ones if the station is calibrated. */
  readonly levels?: Levels | undefined;
  /** Where a new station begins. Canonical. */
  readonly from: string;
}

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
const HALF_HOUR = 1_800_000_000n;

export type StationWatch = ReturnType<typeof createStationWatch>;

export interface WatchOptions {
  readonly name: string;
  /** Of the station. */
  readonly client: AudioMetricsClient;
  readonly rule: WatchRule;
  readonly outbox: Pick<Outbox, 'placeOf' | 'keep'>;
  /** Completes a message. */
  readonly wordsOf: (facts: Facts) => Message;
  /** Runs a look when few others are under way. */
  readonly inTurn: (look: () => Promise<void>) => Promise<void>;
  /** Shows a line to the operator: of a fault, and that of a message. */
  readonly say: (line: string) => void;
  readonly note: (line: string) => void;
}

export function createStationWatch({ name, client, rule, outbox, wordsOf, inTurn, say, note }: WatchOptions) {
  const now = Date.now;
  const before = outbox.placeOf(name);
  let place = readPlace(before, rule.from, now());
  if (!before) outbox.keep(name, place, []); // the next start goes on from here
  let kept = JSON.stringify(place);
  let search: { levels: Levels; found: ReturnType<typeof createEventSearch> } | undefined;
  let seen = { time: '', at: Number.NEGATIVE_INFINITY };
  let trigger = { since: '', level: Number.POSITIVE_INFINITY };
  let refusal = '';
  let isSilent = false;
  let isAtWork = false;

  /** @returns whether the kind may be sent now; if not, counts what is left out */
  function mayReport(kind: MessageKind, id: string): boolean {
    const { at = Number.NEGATIVE_INFINITY, leftOut = 0, lastLeftOut } = place.sent[kind] ?? {};
    if (!rule.on.includes(kind) || now() - at >= rule.everySeconds * 1000) return true;
    if (lastLeftOut !== id) place.sent[kind] = { at, leftOut: leftOut + 1, lastLeftOut: id };
    return false;
  }

  /** Keeps how far the station is, with a message if there is one and its kind is chosen. */
  function keep(report?: Report): void {
    const messages: Message[] = [];
    if (report && rule.on.includes(report.kind)) {
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

  function seeSilence(newest: string): void {
    isSilent = now() - Date.parse(newest) >= rule.silentAfterSeconds * 1000;
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
      search = { levels, found: createEventSearch(client, rule, levels, place.from) };
    const { found } = search;
    let isOpen = false;
    for await (const { event, scale, isOver } of found.upTo(newest)) {
      const what = `${event.start}~${rule.threshold ?? `+${rule.aboveBackground}`}`;
      const message = (kind: 'start' | 'end') =>
        ({ kind, id: idOf(kind, what), station: name, ...event, scale }) as const;
      const { started } = place;
      // a late point may have moved its start
      if (started === null || started < event.start || started >= event.end) {
        place.started = event.start;
        const isToReport = !event.truncated_start && mayReport('start', idOf('start', what));
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

  /** The level above which a look for events is worth a query. */
  async function triggerAt(newest: string, levels: Levels): Promise<number> {
    if (rule.aboveBackground === undefined) return rule.threshold ?? Number.NEGATIVE_INFINITY;
    const half = microsOf(newest) / HALF_HOUR;
    const instant = (micros: bigint) => instantOf(Number(micros / 1000n));
    const [from, to] = [instant((half - 1n) * HALF_HOUR), instant(half * HALF_HOUR)];
    if (trigger.since !== to) {
      const { l90_db } = await client.stats.summary.query({ from, to, levels });
      trigger = { since: to, level: (l90_db ?? Number.POSITIVE_INFINITY) + rule.aboveBackground - 1 };
    }
    return trigger.level;
  }

  async function look({ time, max_10s_db, scale }: StationNow): Promise<void> {
    if (time === null) return;
    seeSilence(time);
    if (time === seen.time) return;
    const levels = rule.levels ?? scale?.levels ?? 'stored';
    const isDue = place.started !== null || now() - seen.at >= SWEEP_MS;
    if (!isDue && !((max_10s_db ?? Number.NEGATIVE_INFINITY) > (await triggerAt(time, levels)))) return;
    await seeEvents(time, levels);
    seen = { time, at: now() };
  }

  return {
    /** Looks at what the station measures now. Does nothing while an earlier look is at work. */
    async see(row: StationNow): Promise<void> {
      if (isAtWork) return;
      isAtWork = true;
      try {
        await inTurn(() => look(row));
        refusal = '';
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        const isNew = reason !== refusal;
        refusal = reason;
        if (isNew) say(`${name}: noise events cannot be found: ${reason}`);
        if (isServiceError(error) && error.data.httpStatus < 500) seen = { time: '', at: now() };
      } finally {
        isAtWork = false;
      }
    },

    /** Looks whether a night has ended since the last one. */
    async seeNight({ night, scale }: StationOverview): Promise<void> {
      if (!night || !scale || (place.night !== null && night.to <= place.night)) return;
      const { from, to, state } = night;
      const id = idOf('night', to);
      const isReported = place.night !== null && (state === 'over' || state === 'undecided');
      let report: Report | undefined;
      if (isReported && rule.on.includes('night') && mayReport('night', id)) {
        const found = await client.stats.worst.query({ from, to, levels: scale.levels, limit: 1 });
        const { worst, scale: ofNight } = found;
        report = { kind: 'night', id, station: name, ...night, worst: worst[0] ?? null, scale: ofNight };
      }
      place.night = to;
      keep(report);
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
