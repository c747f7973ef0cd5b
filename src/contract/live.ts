// audio.live: what goes in, what comes out.
import { z } from 'zod';
import { INSTANT_ALLOWED, parseAbsolute } from './instant.ts';
import { Instant, InstantInput } from './instant-schema.ts';
import { must } from './parameter-messages.ts';
import { parameters } from './parameters.ts';
import { levelsInput } from './periods.ts';
import { EXAMPLE_POINT, Point } from './point.ts';

/** A stream does not send a point that becomes visible when it is further behind the newest one. */
export const LATE_SECONDS = 10;

/** The most that a stream replays when it begins, in seconds and in points. */
export const MAX_REPLAY_SECONDS = 3600;
export const MAX_REPLAY_POINTS = 100_000;

const allowed = must('the id of an event that this service sent');
const ID = /^(.{27})~\d{1,9}~[0-9a-f]{16}$/;

/** @returns the time of the newest point of the event with an id; an empty text if it is no id */
export function timeOfEvent(id: string): string {
  const [, time = ''] = ID.exec(id) ?? [];
  return time;
}

const Begin = InstantInput.default('now').meta({
  description: `Begins with the points since then: ${INSTANT_ALLOWED}; a time ahead counts as now. At most ${MAX_REPLAY_SECONDS} s and ${MAX_REPLAY_POINTS} points back`,
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
      'Goes on after the event of this id, in place of from. The header Last-Event-ID, which an EventSource sends by itself, comes before it',
  })
  .optional();

/** On `/trpc`, whose clients name the id so. */
export const LiveInput = parameters({ from: Begin, lastEventId: LastEventId, levels: levelsInput }).prefault(
  {},
);

/** On REST. */
export const LiveQuery = parameters({ from: Begin, last_event_id: LastEventId, levels: levelsInput });

export const LiveEvent = z
  .object({
    restart_from: Instant.nullable().meta({
      description:
        'Null for points that go on from those before. Else drop the points from this time on, these are in their place; where those before ended earlier, audio.range has what lies between',
    }),
    points: z.array(Point).meta({
      description: `New points, oldest first. One whose time is more than ${LATE_SECONDS} s behind the newest when it becomes visible is not sent: ranges and statistics have it`,
    }),
    stale: z.boolean().meta({
      description:
        'Whether no point has arrived for longer than five times the median spacing, and for at least 2 s. An event without points reports each change',
    }),
  })
  .meta({
    id: 'LiveEvent',
    description: 'What an event holds, as its data',
    examples: [{ restart_from: null, points: [EXAMPLE_POINT], stale: false }],
  });
export type LiveEvent = z.infer<typeof LiveEvent>;
