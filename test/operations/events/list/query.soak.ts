import { describeEachEngine, openForAll } from '../../../engines.ts';
import { soakNumber, soakSeed } from '../../../seeded.ts';
import { compareWithDefinition } from '../definition.ts';

/** How many random tables and queries are generated for each definition. */
const TABLES = soakNumber('NOISE_TABLES', 40);
const seed = soakSeed();

describeEachEngine('noiseEvents equals the definition', (engine) => {
  const database = openForAll(() => engine.open());
  compareWithDefinition(engine, database, TABLES, seed);
});
