// The settings for comparing a station's levels with its limits.
import { z } from 'zod';
import { nameIn } from './parameters.ts';

/** The possible stretches of a part to compare with its limit. */
export const ASSESSED = {
  part: 'the whole part',
  hour: 'its loudest full clock hour (TA Lärm, DIN 45645-1)',
  '15m': 'its loudest full quarter of an hour (BS 4142)',
} as const;
export const Assess = nameIn(ASSESSED);
export type Assess = z.infer<typeof Assess>;

export const MAX_UNCERTAINTY_DB = 20;

/** The settings of a station; null or missing means the default. */
export const JudgementSettings = z.object({
  assess: Assess.nullish(),
  uncertainty_db: z.number().nullish(),
  min_measured_percent: z.number().nullish(),
});

export interface Judgement {
  readonly assess: Assess;
  /** The expanded uncertainty of levels (ISO 1996-2). */
  readonly uncertaintyDb: number;
  /** How much of a part must be measured to decide its state. */
  readonly minMeasuredPercent: number;
}

export const JUDGEMENT: Judgement = { assess: 'part', uncertaintyDb: 0, minMeasuredPercent: 90 };
