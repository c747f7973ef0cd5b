import { expect, it } from 'vitest';
import { z } from 'zod';
import { ENERGY_FIELDS, LEVEL_FIELDS, withLevels } from '../../src/contract/shown-scale.ts';
import { routes } from '../../src/operations/internals/routes.ts';

/** Fields in dB that absolute levels do not shift: differences, and fields on the scale of limits. */
const OTHERS = [
  ...['excess_db', 'step_db', 'reference_db', 'calibration_db', 'calibration_offset_db', 'offset_db'],
  ...[
    'drift_db',
    'floor_db',
    'limit_db',
    'penalty_db',
    'uncertainty_db',
    'evening_penalty_db',
    'night_penalty_db',
  ],
];

/** The names of the fields of a schema, at any depth. */
function namesIn(schema: unknown, found = new Set<string>()): Set<string> {
  if (schema instanceof z.ZodObject)
    for (const [name, field] of Object.entries(schema.shape)) {
      found.add(name);
      namesIn(field, found);
    }
  else if (schema instanceof z.ZodArray) namesIn(schema.element, found);
  else if (schema instanceof z.ZodNullable || schema instanceof z.ZodOptional)
    namesIn(schema.unwrap(), found);
  return found;
}

it('classifies every field in dB as a level or not', () => {
  const names = [...routes.values()].flatMap(({ output }) => [...namesIn(output)]);
  const inDb = new Set(names.filter((name) => name.endsWith('_db')));
  const unknown = [...inDb].filter((name) => !LEVEL_FIELDS.has(name) && !ENERGY_FIELDS.has(name));
  expect(unknown.filter((name) => !OTHERS.includes(name))).toEqual([]);
});

it('shifts levels at any depth, and nothing else', () => {
  const answer = {
    leq_db: -30.1,
    excess_db: 3,
    days: [{ lden_db: -28.2, night: null }],
  };
  expect(withLevels(answer, { offset_db: 95.1, energy_unavailable: false })).toEqual({
    leq_db: 65,
    excess_db: 3,
    days: [{ lden_db: 66.9, night: null }],
  });
});

it('sets every energy mean that is not available to null', () => {
  const answer = {
    leq_db: -30.1,
    max_db: -12,
    minutes_over: 4,
    events: [{ sel_db: -20 }],
  };
  expect(withLevels(answer, { offset_db: 95, energy_unavailable: true })).toEqual({
    leq_db: null,
    max_db: 83,
    minutes_over: null,
    events: [{ sel_db: null }],
  });
});
