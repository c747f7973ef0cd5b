import { describeEachServer } from '../../engines.ts';
import { seeded, soakNumber, soakSeed } from '../../seeded.ts';
import { compareFigures } from './figures-of-points.ts';

// on servers only: the embedded database runs the same SQL as PostgreSQL
/** How many windows are compared after each change. */
const rounds = soakNumber('SUMMARY_WINDOWS', 4);
const chance = seeded(soakSeed());

describeEachServer('every figure equals that of many points', (engine) =>
  compareFigures(engine, { chance, isDense: true, rounds }),
);
