import { describeEachServer } from '../../engines.ts';
import { seeded, soakSeed } from '../../seeded.ts';
import { compareFigures } from './figures-of-points.ts';

// on servers: the embedded database runs the same SQL as PostgreSQL
/** How many windows are compared after each change. */
const { SUMMARY_WINDOWS = '4' } = process.env;

const chance = seeded(soakSeed());

describeEachServer('every figure is what many points give', (engine) =>
  compareFigures(engine, { chance, isDense: true, rounds: Number(SUMMARY_WINDOWS) }),
);
