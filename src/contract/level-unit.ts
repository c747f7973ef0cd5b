// The lowest stored level, and the unit of levels. Apart from the schemas, which a page does without.

/** The lowest level that is stored, in dB; digital silence has it too. */
export const FLOOR_DB = -50;

/** The units that a level has once the reference is added. */
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
