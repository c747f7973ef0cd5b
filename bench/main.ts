// The measurements: `npm run bench -- NAME`. Each shows its figures against their bars.
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { AppError } from '../src/errors.ts';
import { csv } from './csv.ts';
import { type Benchmark, table } from './figure.ts';
import { json } from './json.ts';
import { load } from './load.ts';
import { stats } from './stats.ts';

const benchmarks: Readonly<Record<string, Benchmark>> = { stats, load, json, csv };

// its end is an `exit` event then, by which all that was started ends too, and which a second signal (npm
// passes on what the terminal has sent already) does not cut short
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1));

const [name = '', ...args] = process.argv.slice(2);
try {
  const benchmark = Object.hasOwn(benchmarks, name) && benchmarks[name];
  if (!benchmark)
    throw new AppError('BAD_REQUEST', `Say what to measure: ${Object.keys(benchmarks).join(', ')}`);
  const { json, ...values } = readOptions(benchmark);
  const figures = await benchmark.run(values, say);
  process.stdout.write(table(figures));
  if (json !== undefined) writeFileSync(json, `${JSON.stringify(figures, null, 2)}\n`);
} catch (error) {
  say(error instanceof Error ? error.message : String(error));
  if (error instanceof Error && error.cause instanceof Error) say(`  because: ${error.cause.message}`);
  // 2: it was called wrongly, as shells have it
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

/** For the person at the terminal; standard output is for the figures. */
function say(line: string): void {
  process.stderr.write(`${line}\n`);
}
