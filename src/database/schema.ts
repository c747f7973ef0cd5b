// The table of points in Drizzle's terms, with its rules as constraints.
import { COLUMNS, type Column } from '../contract/point.ts';
import {
  boolean,
  check,
  index,
  integer,
  type PgColumnBuilderBase,
  pgTable,
  real,
  sql,
  timestamp,
} from './drizzle.ts';

/** One row per measured window. No key: equal timestamps, even equal rows, are legal. */
export const audioData = pgTable(
  'audio_data',
  {
    time: timestamp('time', { withTimezone: true, mode: 'string' }).notNull(),
    rms_db: real('rms_db'),
    frequency_hz: integer('frequency_hz'),
    is_silence: boolean('is_silence').notNull().default(false),
  } satisfies Record<Column, PgColumnBuilderBase>,
  (table) => [
    index('audio_data_time_idx').on(table.time),
    check('audio_data_rms_db_check', sql`rms_db between -50.0 and 0.0`),
    check('audio_data_frequency_hz_check', sql`frequency_hz between 100 and 8000`),
  ],
);

/** The beginning of a COPY of points. @param table the SQL name */
export const copyPoints = (table = 'audio_data') => `copy ${table} (${COLUMNS.join(', ')}) from`;
