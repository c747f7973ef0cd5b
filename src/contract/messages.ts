// The messages that `--notify` sends to its receivers.
import { z } from 'zod';
import { EXAMPLE_EVENT, NoiseEvent } from '../operations/events/list/contract.ts';
import { Night } from '../operations/stations/contract.ts';
import { Episode } from '../operations/stats/why/contract.ts';
import { count, figure, instant, number, text } from './fields.ts';
import { meaningsOf, nameIn } from './parameters.ts';
import { EXAMPLE_SCALE, LevelScale } from './periods.ts';

const KINDS = {
  start: 'a noise event has started, and has lasted for --min-duration',
  end: 'a noise event has ended',
  silent: 'no points have arrived for --silent-after',
  back: 'points arrive again',
  night: 'a night has ended with the state `over` or `undecided`',
} as const;
export const MessageKind = nameIn(KINDS);
export type MessageKind = z.infer<typeof MessageKind>;

const common = {
  id: text('The id of the message. It stays the same if the message is sent again'),
  station: text('The name of the station'),
  left_out: count('The number of such messages of this station that --every left out before this one'),
  title: text('The title of the message, for people'),
  text: text('The message in one line, for people'),
  link: z.url().meta({ description: 'Link to the page at the time of the message' }),
};

const kind = <Kind extends MessageKind>(...kinds: Kind[]) =>
  MessageKind.extract(kinds).meta({ description: 'What the message reports' });
const scale = LevelScale.meta({ description: 'The scale of the levels' });
const since = instant('Time of the newest point before the silence');

const EventMessage = z
  .object({ kind: kind('start', 'end'), ...common, ...NoiseEvent.shape, scale })
  .meta({ id: 'EventMessage', description: 'A noise event has started or ended' });

const SilenceMessage = z
  .object({ kind: kind('silent', 'back'), ...common, since })
  .meta({ id: 'SilenceMessage', description: 'Points have stopped arriving, or arrive again' });

/** A line has room for so many. */
export const MOST_CAUSES = 2;

const NightMessage = z
  .object({
    kind: kind('night'),
    ...common,
    ...Night.shape,
    uncertainty_db: figure('The expanded uncertainty of levels (ISO 1996-2), dB; null if it is not stated'),
    min_measured_percent: number('How much of a night must be measured to decide its state, percent'),
    causes: z
      .array(Episode.omit({ runs: true, again: true }))
      .max(MOST_CAUSES)
      .meta({
        description: `The episodes with the most energy (stats.why), at most ${MOST_CAUSES}; [] if none stood out`,
      }),
    scale,
  })
  .meta({ id: 'NightMessage', description: 'A night has ended with the state `over` or `undecided`' });

export const Message = z.discriminatedUnion('kind', [EventMessage, SilenceMessage, NightMessage]).meta({
  id: 'Message',
  description: `A message about a station. Its \`kind\` is one of these. ${meaningsOf(KINDS)}`,
});
export type Message = z.infer<typeof Message>;

const about = { station: 'garden', left_out: 0 };
const linkOf = (from: string, to: string) =>
  `https://audio.example.com/stations/garden/?from=${from}Z&to=${to}Z&live=off`;
const start = '2026-01-02T01:10:00.000000Z';
const silent: Message = {
  kind: 'silent',
  id: 'garden~silent~2026-01-02T01:14:07.300000Z',
  ...about,
  title: 'No sound level',
  text: 'Garden: no sound level since 02:14',
  link: linkOf('2026-01-02T01:09:07', '2026-01-02T01:29:07'),
  since: '2026-01-02T01:14:07.300000Z',
};
const end = {
  kind: 'end' as const,
  id: `garden~end~${start}~+10`,
  ...about,
  title: 'Noise 02:10–02:14',
  text: 'Garden: 58 dB(A) for 4 min, limit 45, 315 Hz',
  link: linkOf('2026-01-02T01:08:00', '2026-01-02T01:16:00'),
  ...EXAMPLE_EVENT,
  start,
  end: '2026-01-02T01:14:00.000000Z',
  threshold: -40,
  background_db: -50,
  duration_seconds: 240,
  peak_db: -31.5,
  peak_at: '2026-01-02T01:12:30.100000Z',
  leq_db: -37.2,
  leq_low_db: -37.2,
  sel_db: -13.3979,
  point_count: 2400,
  dominant_frequency_hz: 315,
  scale: EXAMPLE_SCALE,
};

/** An example of each kind, from a winter night in Vienna. */
export const EXAMPLE_MESSAGES: Readonly<Record<MessageKind, Message>> = {
  start: {
    ...end,
    kind: 'start',
    id: `garden~start~${start}~+10`,
    left_out: 3,
    title: 'Noise since 02:10',
    text: 'Garden: over 55 dB(A) for 10 s, 61 dB(A) so far, limit 45 (3 more not sent)',
    link: linkOf('2026-01-02T01:09:00', '2026-01-02T01:11:10'),
    end: '2026-01-02T01:10:10.000000Z',
    duration_seconds: 10,
    peak_db: -32.5,
    peak_at: '2026-01-02T01:10:07.400000Z',
    leq_db: -34,
    leq_low_db: -34,
    sel_db: -24,
    point_count: 100,
    open: true,
  },
  end,
  silent,
  back: {
    ...silent,
    kind: 'back',
    id: 'garden~back~2026-01-02T01:14:07.300000Z',
    title: 'Measuring again',
    text: 'Garden: measuring again after 1 h 20 min',
    link: linkOf('2026-01-02T01:09:07', '2026-01-02T02:39:07'),
  },
  night: {
    kind: 'night',
    id: 'garden~night~2026-01-02T05:00:00.000000Z',
    ...about,
    title: 'Night over the limit',
    text: 'Garden: night 48.2 dB(A), limit 45; Tone at 315 Hz 03:10–03:40',
    link: linkOf('2026-01-01T20:55:00', '2026-01-02T05:05:00'),
    from: '2026-01-01T21:00:00.000000Z',
    to: '2026-01-02T05:00:00.000000Z',
    limit_db: 45,
    weighting: 'A',
    penalty_db: 0,
    leq_db: -46.8,
    assessed_db: 48.2,
    over_range: 0,
    first_over_range: null,
    measured_percent: 99.8,
    state: 'over',
    reason: null,
    uncertainty_db: null,
    min_measured_percent: 90,
    causes: [
      {
        kind: 'tone',
        from: '2026-01-02T02:10:00.000000Z',
        to: '2026-01-02T02:40:00.000000Z',
        duration_seconds: 1800,
        leq_db: -35.6,
        max_db: -34.8,
        band_main_hz: 315,
        band_from_hz: 315,
        band_to_hz: 315,
        share_percent: 172.1,
        level_without_db: -53.8,
        run_count: 1,
      },
    ],
    scale: EXAMPLE_SCALE,
  },
};
