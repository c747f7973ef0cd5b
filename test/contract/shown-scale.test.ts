import { expect, it } from 'vitest';
import { z } from 'zod';
import { Message } from '../../src/contract/messages.ts';
import { ENERGY_FIELDS, LEVEL_FIELDS, withLevels } from '../../src/contract/shown-scale.ts';
import { routes } from '../../src/operations/internals/routes.ts';

/** Levels on the scale of limits, and excesses over limits: never shifted, and null without energy. */
const ON_SCALE_OF_LIMITS = ['rated_db', 'rated_low_db', 'assessed_db', 'excess_db', 'average_left_db'];

/** Other fields in dB: differences, settings, and levels on the scale of limits that need no energy. */
const OTHERS = [
  ...['step_db', 'reference_db', 'calibration_db', 'calibration_offset_db', 'offset_db', 'drift_db'],
  ...[
    'floor_db',
    'limit_db',
    'max_limit_db',
    'penalty_db',
    'uncertainty_db',
    'evening_penalty_db',
    'night_penalty_db',
  ],
  ...['above_background', 'event_above_background', 'hysteresis'],
];

/** Names of levels that are energy means of points. */
const ENERGY_NAME = /^(leq|l(day|evening|night|den)|sel|rated|assessed)_|_low_db$/;

/** The names and descriptions of the fields of a schema that are numbers, at any depth. */
function numbersIn(schema: unknown, name = '', text = ''): [name: string, text: string][] {
  if (schema instanceof z.ZodNumber) return [[name, schema.description ?? text]];
  if (schema instanceof z.ZodObject)
    return Object.entries(schema.shape).flatMap(([field, of]) => numbersIn(of, field));
  const inner = (of: unknown) =>
    numbersIn(of, name, (schema instanceof z.ZodType && schema.description) || text);
  if (schema instanceof z.ZodArray) return numbersIn(schema.element);
  if (schema instanceof z.ZodUnion) return schema.options.flatMap(inner);
  if (schema instanceof z.ZodNullable || schema instanceof z.ZodOptional) return inner(schema.unwrap());
  return [];
}

const numbers = [...[...routes.values()].map(({ output }) => output), Message].flatMap((schema) =>
  numbersIn(schema),
);
/** A number is in dB if its name or its description says so. Limits and shares are described by levels in dB. */
const inDb = new Set(
  numbers.flatMap(([name, text]) =>
    name.endsWith('_db') || (/, dB\b/.test(text) && !/percent|count|minutes/.test(name)) ? name : [],
  ),
);

it('enters every level of every answer and message where levels are shifted and emptied', () => {
  const entered = [...LEVEL_FIELDS, ...ENERGY_FIELDS, ...OTHERS];
  expect([...inDb].filter((name) => !entered.includes(name))).toEqual([]);
});

it('empties every energy mean, and shifts all but those on the scale of limits', () => {
  const energies = [...inDb].filter((name) => ENERGY_NAME.test(name));
  expect(energies.filter((name) => !ENERGY_FIELDS.has(name))).toEqual([]);
  const unshifted = [...inDb].filter((name) => ENERGY_FIELDS.has(name) && !LEVEL_FIELDS.has(name));
  expect(unshifted.toSorted()).toEqual(ON_SCALE_OF_LIMITS.toSorted());
  expect(OTHERS.filter((name) => LEVEL_FIELDS.has(name) || ENERGY_FIELDS.has(name))).toEqual([]);
});

it('enters no level that no answer has', () => {
  expect([...LEVEL_FIELDS].filter((name) => !inDb.has(name))).toEqual([]);
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
