// The measurements: `npm run bench -- stats` and `-- load`. Each shows its figures against their bars.
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { AppError } from '../src/errors.ts';
import { lineOf } from './figure.ts';
import { table } from './figures.ts';
import { measureLoad } from './load.ts';
import { stats } from './stats.ts';

interface Benchmark {
  /** Shown where it is called wrongly. */
  readonly usage: string;
  /** The names of its options. */
  readonly options: readonly string[];
  run(values: Readonly<Record<string, string | undefined>>): Promise<{ figures: object[]; text: string }>;
}

const benchmarks: Readonly<Record<string, Benchmark>> = {
  stats: {
    ...stats,
    async run(values) {
      const figures = await stats.run(values, say);
      return { figures, text: table(figures) };
    },
  },
  load: {
    usage: '\n  npm run bench -- load [--json FILE]',
    options: [],
    async run() {
      const figures = await measureLoad(say);
      return { figures, text: `${figures.map(lineOf).join('\n')}\n` };
    },
  },
};

// their end is an `exit` event then, by which the servers that were started end too
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

const [name = '', ...args] = process.argv.slice(2);
try {
  const benchmark = Object.hasOwn(benchmarks, name) && benchmarks[name];
  if (!benchmark)
    throw new AppError('BAD_REQUEST', `Say what to measure: ${Object.keys(benchmarks).join(', ')}`);
  const { json, ...values } = readOptions(benchmark);
  const { figures, text } = await benchmark.run(values);
  process.stdout.write(text);
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
