// audio.live: input and output.
import { z } from 'zod';
import { INSTANT_ALLOWED, parseAbsolute } from './instant.ts';
import { Instant, InstantInput } from './instant-schema.ts';
import { must } from './parameter-messages.ts';
import { parameters } from './parameters.ts';
import { levelsInput } from './periods.ts';
import { EXAMPLE_POINT, Point } from './point.ts';

/** A stream skips a point that is further behind the newest one when it becomes visible. */
export const LATE_SECONDS = 10;

/** The most that a stream replays at its start, in seconds and in points. */
export const MAX_REPLAY_SECONDS = 3600;
export const MAX_REPLAY_POINTS = 100_000;

const allowed = must('the id of an event from this service');
const ID = /^(.{27})~\d{1,9}~[0-9a-f]{16}$/;

/** @returns the time of the newest point of the event; an empty text if the id is not valid */
export function timeOfEvent(id: string): string {
  const [, time = ''] = ID.exec(id) ?? [];
  return time;
}

const Begin = InstantInput.default('now').meta({
  description: `Starts with the points since this time: ${INSTANT_ALLOWED}. A time in the future counts as now. At most ${MAX_REPLAY_SECONDS} s and ${MAX_REPLAY_POINTS} points back`,
  examples: ['now-1m'],
});

const LastEventId = z
  .string(allowed)
  .refine((text) => {
    const time = timeOfEvent(text);
    return parseAbsolute(time) === time && time !== '';
  }, allowed)
  .meta({
    description:
      'Continues after the event with this id, instead of from. The header Last-Event-ID, which an EventSource sends by itself, takes precedence',
  })
  .optional();

/** On `/trpc`: tRPC clients use this name for the id. */
export const LiveInput = parameters({ from: Begin, lastEventId: LastEventId, levels: levelsInput }).prefault(
  {},
);

/** On REST. */
export const LiveQuery = parameters({ from: Begin, last_event_id: LastEventId, levels: levelsInput });

export const LiveEvent = z
  .object({
    restart_from: Instant.nullable().meta({
      description:
        'Null if the points continue those sent before. Otherwise drop all points from this time on: this event replaces them. If the points sent before ended earlier, audio.range has the points in between',
    }),
    points: z.array(Point).meta({
      description: `New points, oldest first. A point that is more than ${LATE_SECONDS} s behind the newest when it becomes visible is not sent: ranges and statistics include it`,
    }),
    stale: z.boolean().meta({
      description:
        'Whether no point has arrived for longer than five times the median spacing, and for at least 2 s. An event without points reports each change',
    }),
  })
  .meta({
    id: 'LiveEvent',
    description: 'The data of an event',
    examples: [{ restart_from: null, points: [EXAMPLE_POINT], stale: false }],
  });
export type LiveEvent = z.infer<typeof LiveEvent>;
