// The messages of `--notify`: what a receiver gets when a station has something to report.
import { z } from 'zod';
import { Instant } from './instant-schema.ts';
import { NoiseEvent } from './noise-events.ts';
import { meaningsOf, nameIn } from './parameters.ts';
import { LevelScale } from './periods.ts';
import { Night } from './stations.ts';
import { WorstStretch } from './worst-stretches.ts';

const KINDS = {
  start: 'a noise event has started, and has lasted for --min-duration',
  end: 'a noise event has ended',
  silent: 'no point has come for --silent-after',
  back: 'points come again',
  night: 'a night has ended over its limit, or undecided',
} as const;
export const MessageKind = nameIn(KINDS);
export type MessageKind = z.infer<typeof MessageKind>;

const common = {
  id: z.string().meta({ description: 'The same each time that this message is sent' }),
  station: z.string().meta({ description: 'The name of the station' }),
  left_out: z.int().min(0).meta({
    description: 'How many messages of this kind and station --every has left out before this one',
  }),
  title: z.string().meta({ description: 'What it is about, for people' }),
  text: z.string().meta({ description: 'The message in a line, for people' }),
  link: z.url().meta({ description: 'The page, with the stretch of time that it is about' }),
};

const scale = LevelScale.meta({ description: 'What its levels are relative to' });
const since = Instant.meta({ description: 'The newest point before the silence' });

const EventMessage = z.object({
  kind: MessageKind.extract(['start', 'end']),
  ...common,
  ...NoiseEvent.shape,
  scale,
});

const SilenceMessage = z.object({ kind: MessageKind.extract(['silent', 'back']), ...common, since });

const NightMessage = z.object({
  kind: MessageKind.extract(['night']),
  ...common,
  ...Night.shape,
  worst: WorstStretch.nullable().meta({
    description: 'The stretch that added most to the noise; null if none stood out',
  }),
  scale,
});

export const Message = z
  .discriminatedUnion('kind', [EventMessage, SilenceMessage, NightMessage])
  .meta({
    id: 'Message',
    description: `What a station has to report. \`kind\` says what: ${meaningsOf(KINDS)}`,
  });
export type Message = z.infer<typeof Message>;
