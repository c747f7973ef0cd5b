// A level meter in one line of text.
import type { Point } from '../../client/index.ts';
import { FLOOR_DB } from '../../contract/level-unit.ts';
import type { OffsetScale } from '../../contract/shown-scale.ts';

const CELLS = 40;

/** How fast the held peak falls, in dB per second. */
const FALL_DB = 10;

export function createLevelMeter() {
  let peak = { db: FLOOR_DB, at: 0 };
  return {
    /** @returns the line for the newest point: bar, peak hold, level, frequency */
    line(points: readonly Point[], { unit, offset }: Pick<OffsetScale, 'unit' | 'offset'>): string {
      for (const { time, rms_db } of points) {
        const at = Date.parse(time);
        const held = Math.max(FLOOR_DB, peak.db - (Math.max(0, at - peak.at) / 1000) * FALL_DB);
        peak = { db: Math.max(held, rms_db ?? FLOOR_DB), at };
      }
      const newest = points.at(-1);
      if (!newest) return '';
      const { time, rms_db, frequency_hz, is_silence } = newest;
      const cells = (db: number) => Math.round(((db - FLOOR_DB) / -FLOOR_DB) * CELLS);
      const bar = '#'.repeat(cells(rms_db ?? FLOOR_DB)).padEnd(CELLS);
      const mark = Math.min(cells(peak.db), CELLS - 1);
      const level = rms_db === null ? '-' : (rms_db + offset).toFixed(1);
      const tone = is_silence ? 'silent' : frequency_hz === null ? '' : `${frequency_hz} Hz`;
      return `${time.slice(11, 21)}Z [${bar.slice(0, mark)}|${bar.slice(mark + 1)}] ${level.padStart(5)} ${unit} ${tone}`.trimEnd();
    },
  };
}
