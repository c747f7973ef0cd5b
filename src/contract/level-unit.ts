// The lowest stored level, and the unit of levels. Kept out of the schema files, so a page need not load zod.

/** The lowest level that can be stored, in dB. Digital silence has this level. */
export const FLOOR_DB = -50;

/** The possible units of levels once `reference_db` is added. */
export const UNITS = ['dBFS', 'dB', 'dB(A)', 'dB(C)'] as const;

type Recorded = { readonly weighting: 'A' | 'C' | 'Z' | null; readonly reference_db: number | null };

export function unitOf({ weighting, reference_db }: Recorded): (typeof UNITS)[number] {
  if (reference_db === null) return 'dBFS';
  return weighting === 'A' || weighting === 'C' ? `dB(${weighting})` : 'dB';
}
