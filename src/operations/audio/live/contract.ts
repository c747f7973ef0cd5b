// audio.live: input and output.
import { z } from 'zod';
import { bool, instantOrNull } from '../../../contract/fields.ts';
import { INSTANT_ALLOWED, parseAbsolute } from '../../../contract/instant.ts';
import { InstantInput, must, parameters } from '../../../contract/parameters.ts';
import { levelsInput } from '../../../contract/periods.ts';
import { EXAMPLE_POINT, Point } from '../../../contract/point.ts';

/** Streams skip a new point if the newest is later by more than this, in seconds. */
export const LATE_SECONDS = 10;

/** The most seconds and the most points that a stream replays at its start. */
export const MAX_REPLAY_SECONDS = 3600;
export const MAX_REPLAY_POINTS = 100_000;

const allowed = must('the id of an event from this service');
const ID = /^(.{27})~\d{1,9}~[0-9a-f]{16}$/;

/** @returns the time of the newest point in the event; an empty text if the id is not valid */
export function timeOfEvent(id: string): string {
  const [, time = ''] = ID.exec(id) ?? [];
  return time;
}

const Begin = InstantInput.default('now').meta({
  description: `Starts with the points since this time: ${INSTANT_ALLOWED}. A time in the future counts as now. The stream goes back at most ${MAX_REPLAY_SECONDS} s and ${MAX_REPLAY_POINTS} points`,
  examples: ['now-1m'],
});

const LastEventId = z
  .string(allowed)
  .refine((text) => {
    const time = timeOfEvent(text);
    return parseAbsolute(time) === time && time !== '';
  }, allowed)
  .describe(
    'Continues after the event with this id, and ignores `from`. The Last-Event-ID header takes precedence; an EventSource sends it unasked',
  )
  .optional();

/** The input on `/trpc`: tRPC clients call the id `lastEventId`. */
export const LiveInput = parameters({ from: Begin, lastEventId: LastEventId, levels: levelsInput }).prefault(
  {},
);

/** The input on REST. */
export const LiveQuery = parameters({ from: Begin, last_event_id: LastEventId, levels: levelsInput });

export const LiveEvent = z
  .object({
    restart_from: instantOrNull(
      'Null if this event continues the previous one. Otherwise, drop all points from this time on: this event replaces them. If your newest point is older than this time, audio.range has the points in between',
    ),
    points: z.array(Point).meta({
      description: `New points, oldest first. A point over ${LATE_SECONDS} s older than the newest when it becomes visible is not sent, but ranges and statistics include it`,
    }),
    stale: bool(
      'Whether no point has arrived for longer than five times the median spacing and longer than 2 s. An event without points reports each change',
    ),
  })
  .meta({
    id: 'LiveEvent',
    description: 'The data of an audio.live event',
    examples: [{ restart_from: null, points: [EXAMPLE_POINT], stale: false }],
  });
export type LiveEvent = z.infer<typeof LiveEvent>;
