import { describeEachEngine } from '../../engines.ts';
import { seeded, soakSeed } from '../../seeded.ts';
import { compareFigures } from './figures-of-points.ts';

/** How many windows are compared after each change. */
const { SUMMARY_WINDOWS = '4' } = process.env;

const chance = seeded(soakSeed());

describeEachEngine('every figure is what many points give', (engine) =>
  compareFigures(engine, { chance, isDense: true, rounds: Number(SUMMARY_WINDOWS) }),
);
