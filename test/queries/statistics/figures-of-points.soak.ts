import { describeEachServer } from '../../engines.ts';
import { seeded, soakNumber, soakSeed } from '../../seeded.ts';
import { compareFigures } from './figures-of-points.ts';

// on servers: the embedded database runs the same SQL as PostgreSQL
/** How many windows are compared after each change. */
const rounds = soakNumber('SUMMARY_WINDOWS', 4);
const chance = seeded(soakSeed());

describeEachServer('every figure is what many points give', (engine) =>
  compareFigures(engine, { chance, isDense: true, rounds }),
);
