// Lists the answer fields that hold levels or energy means. Shifts levels, and sets energy means to null.

/** Levels on the scale of an answer. Level differences and levels on the scale of limits do not belong here. */
export const LEVEL_FIELDS: ReadonlySet<string> = new Set([
  ...['rms_db', 'avg_db', 'max_db', 'min_db', 'peak_db', 'level_db', 'background_db', 'max_10s_db'],
  ...['threshold', 'threshold_db', 'event_threshold_db'],
  ...['l1_db', 'l5_db', 'l10_db', 'l50_db', 'l90_db', 'l95_db', 'l99_db'],
  ...['leq_db', 'leq_low_db', 'sel_db', 'leq_1h_db'],
  ...['lday_db', 'levening_db', 'lnight_db', 'lden_db'],
]);

/** Energy means of levels, and figures derived from them. */
export const ENERGY_FIELDS: ReadonlySet<string> = new Set([
  ...['leq_db', 'leq_low_db', 'sel_db', 'leq_1h_db'],
  ...['lday_db', 'levening_db', 'lnight_db', 'lden_db', 'rated_db'],
  ...['excess_db', 'assessed_db', 'assessed_from', 'minutes_over', 'minutes_undecided'],
]);

/** @returns the sum, without binary rounding errors */
export const addLevels = (level: number, offset_db: number) => Number((level + offset_db).toFixed(9));

interface Shown {
  /** Added to each level, dB. */
  readonly offset_db: number;
  /** Whether energy means become null. */
  readonly energy_unavailable: boolean;
}

/** @returns the answer with shifted levels, also in nested plain objects and arrays */
export function withLevels<Value>(value: Value, shown: Shown): Value;
export function withLevels(value: unknown, shown: Shown): unknown {
  if (shown.offset_db === 0 && !shown.energy_unavailable) return value;
  if (Array.isArray(value)) return value.map((each) => withLevels(each, shown));
  if (!isPlain(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [name, fieldOf(name, field, shown)]),
  );
}

function fieldOf(name: string, field: unknown, shown: Shown): unknown {
  if (shown.energy_unavailable && ENERGY_FIELDS.has(name)) return null;
  if (typeof field !== 'number') return withLevels(field, shown);
  // a shifted level needs that much less offset to reach the scale of limits
  if (name === 'offset_db') return addLevels(field, -shown.offset_db);
  return LEVEL_FIELDS.has(name) ? addLevels(field, shown.offset_db) : field;
}

const isPlain = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
