// audio.latest: the most recent points.
import { LatestInput, LatestOutput } from '../contract/audio.ts';
import { latestPoints } from '../queries/points/latest-points.ts';
import { LIGHT_POINTS, operation } from './operation.ts';

export const latest = operation({
  name: 'audio.latest',
  kind: 'points',
  summary: 'The most recent points',
  description: 'Newest first.',
  input: LatestInput,
  output: LatestOutput,
  cache: 'momentary',
  isHeavy: ({ limit }) => limit > LIGHT_POINTS,
  answer: async (context, input) => ({
    kind: 'points',
    value: { points: await latestPoints(context, input, context.now) },
  }),
});
