import { describeOnWire, engines } from '../../engines.ts';
import { seeded } from '../../seeded.ts';
import { compareLimits } from './against-limits.ts';

describeOnWire('levels against limits are what the points give', (engine) =>
  compareLimits(engine, { chance: seeded(engines.indexOf(engine)), isDense: false, rounds: 2 }),
);
