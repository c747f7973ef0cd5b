// The point: what is stored of one measured window. Every list of its columns follows from here.
import { z } from 'zod';
import { Instant } from './instant-schema.ts';
import { FLOOR_DB } from './level-unit.ts';

/** The band in which a dominant frequency is looked for, in Hz. */
export const [LOWEST_HZ, HIGHEST_HZ] = [100, 8000];

export const Point = z
  .object({
    time: Instant.meta({ description: 'When the window was measured, UTC, to the microsecond' }),
    rms_db: z.number().nullable().meta({
      description:
        'Level of the window, stored from -50 (floor) to 0: its RMS, unless the recorder weighed it, in dB relative to digital full scale, or to the reference of its period (service.info); null when not measured',
    }),
    frequency_hz: z.int().min(LOWEST_HZ).max(HIGHEST_HZ).nullable().meta({
      description:
        'Dominant frequency of the window: where the spectrum from 100 to 8000 Hz is highest, however loud it is elsewhere; null when there is none',
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

/** The most points of a page; an export gives more. */
export const MAX_PAGE_POINTS = 10_000;

/** The header row of every export and import. */
export const CSV_HEADER = COLUMNS.join(',');

/** @returns a point as a CSV row, without its line break; empty for null */
export function csvRow(point: Point): string {
  return COLUMNS.map((column) => point[column] ?? '').join(',');
}
