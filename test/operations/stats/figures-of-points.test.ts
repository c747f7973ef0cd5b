import { describeEachLayout, engines } from '../../engines.ts';
import { seeded } from '../../seeded.ts';
import { compareFigures } from './figures-of-points.ts';

describeEachLayout('every figure equals that of the points', (engine) =>
  compareFigures(engine, {
    chance: seeded(engines.indexOf(engine)),
    isDense: false,
    rounds: 1,
  }),
);
