import { describeEachEngine, openForAll } from '../../engines.ts';
import { soakSeed } from '../../seeded.ts';
import { compareWithDefinition } from './definition.ts';

/** How many tables and questions are made up for each definition. */
const { NOISE_TABLES = '40' } = process.env;
const seed = soakSeed();

describeEachEngine('noiseEvents equals the definition', (engine) => {
  const database = openForAll(() => engine.open());
  compareWithDefinition(engine, database, Number(NOISE_TABLES), seed);
});
