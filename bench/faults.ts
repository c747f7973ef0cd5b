// Measures how faults, floods and malformed requests affect the service and its other callers.
import { z } from 'zod';
import { AppError } from '../src/errors.ts';
import { startService } from './child.ts';
import { abandoned } from './faults/abandoned.ts';
import { cost } from './faults/cost.ts';
import { exports } from './faults/exports.ts';
import { floods } from './faults/floods.ts';
import { generated } from './faults/generated-requests.ts';
import { memory } from './faults/memory.ts';
import { freeze, kills, proxy, terminations } from './faults/outages.ts';
import { shutdown } from './faults/shutdown.ts';
import type { TestBed } from './faults/test-bed.ts';
import { type Benchmark, type Figure, formatTable } from './figure.ts';
import { startWithTable, storePoints, untilNow } from './points-table.ts';

const PARTS: Readonly<Record<string, (bed: TestBed) => Promise<Figure[]>>> = {
  proxy,
  kills,
  terminations,
  freeze,
  shutdown,
  abandoned,
  export: exports,
  floods,
  memory,
  generated,
  cost,
};

const count = (standard: number) => z.coerce.number().int().min(1).default(standard);
const Options = z.object({
  only: z.string().optional(),
  points: count(10_000_000),
  kills: count(20),
  requests: count(100_000),
  seed: count(20_260_101),
  floods: z.string().optional(),
  service: z.string().optional(),
});

export const faults: Benchmark = {
  usage: `
  npm run bench -- faults [--only PART,PART] [--points 10000000] [--kills 20] [--requests 100000] [--seed N]
                          [--floods NAME,NAME] [--service FOLDER] [--json FILE]

  --only      some of ${Object.keys(PARTS).join(', ')}; all by default
  --points    how many points the table has
  --kills     how often to kill the database under load
  --requests  how many requests to generate, from --seed
  --floods    some of the floods in faults/floods.ts; all by default
  --service   a checkout of another version to measure instead`,
  options: Object.keys(Options.shape),

  async run(values, say) {
    const { data: options, error } = Options.safeParse(values);
    if (!options) throw new AppError('BAD_REQUEST', `${z.prettifyError(error)}\n${faults.usage}`);
    const names = options.only?.split(',') ?? Object.keys(PARTS);
    const unknown = names.find((name) => !Object.hasOwn(PARTS, name));
    if (unknown !== undefined) throw new AppError('BAD_REQUEST', `No part ${unknown}\n${faults.usage}`);
    await using server = await startWithTable(say);
    const all = untilNow(options.points);
    await storePoints(server.url, all, say);
    const bed: TestBed = {
      database: server.url,
      cluster: server.cluster,
      all,
      points: options.points,
      options,
      start: (environment, database = server.url) => startService(database, environment, options.service),
      say,
    };
    const figures: Figure[] = [];
    for (const name of names) {
      const measured = (await PARTS[name]?.(bed)) ?? [];
      say(formatTable(measured)); // a later part may fail
      figures.push(...measured);
    }
    return figures;
  },
};
