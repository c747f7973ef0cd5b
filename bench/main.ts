// Runs the benchmark that `npm run bench -- NAME` names, and prints its figures beside their bars.
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { AppError } from '../src/errors.ts';
import { csv } from './csv.ts';
import { databases } from './databases.ts';
import { failover } from './failover.ts';
import { faults } from './faults.ts';
import { type Benchmark, formatTable } from './figure.ts';
import { json } from './json.ts';
import { live } from './live.ts';
import { load } from './load.ts';
import { page } from './page.ts';
import { stations } from './stations.ts';
import { stats } from './stats.ts';
import { store } from './store.ts';
import { viewers } from './viewers.ts';

const benchmarks: Readonly<Record<string, Benchmark>> = {
  stats,
  stations,
  databases,
  store,
  load,
  live,
  json,
  csv,
  faults,
  failover,
  viewers,
  page,
};

// `process.exit` emits the event that ends every process started here. The handlers stay for a second signal, because
// npm forwards the signal that the terminal has already sent.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1));

const [name = '', ...args] = process.argv.slice(2);
try {
  const benchmark = Object.hasOwn(benchmarks, name) && benchmarks[name];
  if (!benchmark)
    throw new AppError('BAD_REQUEST', `Name a benchmark: ${Object.keys(benchmarks).join(', ')}`);
  const { json, ...values } = readOptions(benchmark);
  const figures = await benchmark.run(values, say);
  process.stdout.write(formatTable(figures));
  if (json !== undefined) writeFileSync(json, `${JSON.stringify(figures, null, 2)}\n`);
} catch (error) {
  say(error instanceof Error ? error.message : String(error));
  if (error instanceof Error && error.cause instanceof Error) say(`  because: ${error.cause.message}`);
  // 2: wrong usage, as in shells
  process.exitCode = error instanceof AppError && error.code === 'BAD_REQUEST' ? 2 : 1;
}

function readOptions({ options, usage }: Benchmark): { [option: string]: string | undefined } {
  const named = Object.fromEntries(
    [...options, 'json'].map((option) => [option, { type: 'string' } as const]),
  );
  try {
    return parseArgs({ args, options: named }).values;
  } catch (error) {
    throw new AppError('BAD_REQUEST', `${error instanceof Error ? error.message : error}\n${usage}`);
  }
}

/** Writes to standard error, because standard output is for the figures. */
function say(line: string): void {
  process.stderr.write(`${line}\n`);
}
