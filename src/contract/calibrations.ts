// Calibration checks: what a calibrator said that full scale stands for.
import { z } from 'zod';
import { Instant } from './instant-schema.ts';

/** The most checks that service.info shows. */
export const MOST_CHECKS = 100;

export const CalibrationCheck = z.object({
  time: Instant.meta({ description: 'When it was measured' }),
  level_db: z.number().meta({ description: 'The sound pressure level of the calibrator, dB' }),
  frequency_hz: z.number().meta({ description: 'The frequency of its tone, Hz' }),
  offset_db: z.number().meta({ description: 'The sound pressure level that full scale stands for, dB' }),
  channel: z.string().meta({ description: 'The channel, as `--channel` names it' }),
});
export type CalibrationCheck = z.infer<typeof CalibrationCheck>;

export const ComparedCheck = CalibrationCheck.extend({
  drift_db: z.number().nullable().meta({
    description:
      'offset_db less that of the check before of the same channel, dB; null of the first. Over 0.5 dB, ISO 1996-2 asks to discard what was measured between the two',
  }),
}).meta({ id: 'CalibrationCheck', description: 'A calibration check (`npm run record -- calibrate`)' });
export type ComparedCheck = z.infer<typeof ComparedCheck>;
