import { describeEachServer } from '../../engines.ts';
import { seeded, soakNumber, soakSeed } from '../../seeded.ts';
import { compareLimits } from './against-limits.ts';

// on servers only: the embedded database runs the same SQL as PostgreSQL
/** How many windows are compared after each change. */
const rounds = soakNumber('SUMMARY_WINDOWS', 3);
const chance = seeded(soakSeed());

describeEachServer('levels against limits equal those of many points', (engine) =>
  compareLimits(engine, { chance, isDense: true, rounds }),
);
