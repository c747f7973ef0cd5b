// The lowest stored level, and the unit of levels. Kept out of the schema files, so a page need not load zod.

/** The lowest level that can be stored, in dB: also the level of digital silence. */
export const FLOOR_DB = -50;

/** The possible units of a level plus its reference. */
export const UNITS = ['dBFS', 'dB', 'dB(A)', 'dB(C)'] as const;

interface Recorded {
  readonly weighting: 'A' | 'C' | 'Z' | null;
  readonly reference_db: number | null;
}

/** The unit of a level plus the reference. */
export function unitOf({ weighting, reference_db }: Recorded): (typeof UNITS)[number] {
  if (reference_db === null) return 'dBFS';
  return weighting === 'A' || weighting === 'C' ? `dB(${weighting})` : 'dB';
}
