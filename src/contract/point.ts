// The point: the stored row of one measured window. Every list of columns derives from this file.
import { z } from 'zod';
import { bool, figure, instant } from './fields.ts';
import { FLOOR_DB } from './level-unit.ts';

/** The range of dominant frequencies, in Hz. */
export const [LOWEST_HZ, HIGHEST_HZ] = [100, 8000];

export const Point = z
  .object({
    time: instant('When the window was measured, UTC, to the microsecond'),
    rms_db: figure(
      'Level of the window, dB: -50 (floor) to 0 as stored. It is relative to the reference of its period (service.info), or to digital full scale if the period has none. It is the RMS unless the recorder weighted it; null if not measured',
    ),
    frequency_hz: z.int().min(LOWEST_HZ).max(HIGHEST_HZ).nullable().meta({
      description:
        'Dominant frequency of the window: the peak of its spectrum from 100 to 8000 Hz. Sound outside this range is ignored. Null if there is none',
    }),
    is_silence: bool('Whether the recorder judged the window silent'),
  })
  .meta({ id: 'Point', description: 'One measured window' });
export type Point = z.infer<typeof Point>;

/** A point as the table stores it. */
export const StoredPoint = Point.extend({ rms_db: z.number().min(FLOOR_DB).max(0).nullable() });

export const EXAMPLE_POINT: Point = {
  time: '2026-01-01T00:00:00.123456Z',
  rms_db: -7.22,
  frequency_hz: 440,
  is_silence: false,
};

export type Column = keyof Point;

/** The columns of a point, in their order in JSON and in CSV. */
export const COLUMNS: readonly Column[] = Point.keyof().options;

/** The most points per page. An export has no such limit. */
export const MAX_PAGE_POINTS = 10_000;

export const CSV_HEADER = COLUMNS.join(',');

/** @returns a point as a CSV row, without a line break. Null is an empty field */
export const csvRow = (point: Point): string => COLUMNS.map((column) => point[column] ?? '').join(',');
