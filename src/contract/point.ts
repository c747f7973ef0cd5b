// The point: the stored row of one measured window. Every list of its columns derives from this file.
import { z } from 'zod';
import { Instant } from './instant-schema.ts';
import { FLOOR_DB } from './level-unit.ts';

/** The band that is searched for the dominant frequency, in Hz. */
export const [LOWEST_HZ, HIGHEST_HZ] = [100, 8000];

export const Point = z
  .object({
    time: Instant.meta({ description: 'When the window was measured, UTC, to the microsecond' }),
    rms_db: z.number().nullable().meta({
      description:
        'Level of the window, stored from -50 (floor) to 0: its RMS, unless the recorder weighted it, in dB relative to digital full scale, or to the reference of its period (service.info); null if not measured',
    }),
    frequency_hz: z.int().min(LOWEST_HZ).max(HIGHEST_HZ).nullable().meta({
      description:
        'Dominant frequency of the window: the highest point of the spectrum from 100 to 8000 Hz, however loud the sound outside this range; null if there is none',
    }),
    is_silence: z.boolean().meta({ description: 'The recorder judged the window silent' }),
  })
  .meta({ id: 'Point', description: 'One measured window' });
export type Point = z.infer<typeof Point>;

/** A point as the table holds it. */
export const StoredPoint = Point.extend({ rms_db: z.number().min(FLOOR_DB).max(0).nullable() });

/** The point of the examples in the document. */
export const EXAMPLE_POINT: Point = {
  time: '2026-01-01T00:00:00.123456Z',
  rms_db: -7.22,
  frequency_hz: 440,
  is_silence: false,
};

export type Column = keyof Point;

/** The columns of a point, in their order in JSON and in CSV. */
export const COLUMNS: readonly Column[] = Point.keyof().options;

/** The most points of a page. An export has no such limit. */
export const MAX_PAGE_POINTS = 10_000;

/** The header row of every export and import. */
export const CSV_HEADER = COLUMNS.join(',');

/** @returns a point as a CSV row, without its line break; empty for null */
export function csvRow(point: Point): string {
  return COLUMNS.map((column) => point[column] ?? '').join(',');
}
