// Calibration checks: the sound pressure level at full scale, measured with a calibrator.
import { z } from 'zod';
import { figure, instant, number, text } from './fields.ts';

export const MOST_CHECKS = 100;

export const CalibrationCheck = z.object({
  time: instant('When the check was made'),
  level_db: number('The sound pressure level that the calibrator produces, dB'),
  frequency_hz: number('The frequency of the calibrator tone, Hz'),
  offset_db: number('The sound pressure level at full scale, dB'),
  channel: text('The checked channel: a number, `mean` or `max`'),
});
export type CalibrationCheck = z.infer<typeof CalibrationCheck>;

export const ComparedCheck = CalibrationCheck.extend({
  drift_db: figure(
    'Change of offset_db since the previous check of the same channel, dB; null for the first check. If it exceeds 0.5 dB, ISO 1996-2 says to discard the measurements between the two checks',
  ),
}).meta({ id: 'CalibrationCheck', description: 'A calibration check (`npm run record -- calibrate`)' });
export type ComparedCheck = z.infer<typeof ComparedCheck>;
