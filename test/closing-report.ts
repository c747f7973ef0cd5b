// Prints the last lines of a run: the skipped tests by reason, the slowest files, the failures, and the number of tests.
import { stripVTControlCharacters } from 'node:util';
import type { Reporter, SerializedError, TestCase, TestModule } from 'vitest/node';

const SLOWEST = 5;

export default class ClosingReport implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const counts = Object.groupBy(tests, (test) => test.result().state);
    console.log(
      ['', ...skipTable(counts.skipped ?? []), 'Slowest files:', ...slowestFiles(modules), ''].join('\n'),
    );
    for (const failure of failures(modules, unhandled)) console.log(failure);
    const count = (state: 'passed' | 'failed' | 'skipped') => `${counts[state]?.length ?? 0} ${state}`;
    console.log(`${count('passed')}, ${count('failed')}, ${count('skipped')}`);
  }
}

function skipTable(skipped: TestCase[]): string[] {
  if (skipped.length === 0) return [];
  const byReason = Map.groupBy(skipped, reasonOf);
  const rows = [...byReason].map(([reason, tests]) => {
    const files = new Set(tests.map(({ module }) => module.relativeModuleId));
    return `${String(tests.length).padStart(6)}  ${reason.padEnd(40)} ${[...files].join(' ')}`;
  });
  return [' Tests  Skipped because', ...rows, ''];
}

/** The note of `context.skip`, or what the test or its `describe` needs. If neither, the command line excluded it. */
function reasonOf(test: TestCase): string {
  const result = test.result();
  if (result.state === 'skipped' && result.note) return result.note;
  let task: TestCase | TestCase['parent'] = test;
  for (;;) {
    const { needs } = task.meta();
    if (needs) return `this machine has no ${needs}`;
    if (task.type === 'module') return 'not chosen';
    task = task.parent;
  }
}

function slowestFiles(modules: readonly TestModule[]): string[] {
  return modules
    .map((module) => ({ file: module.relativeModuleId, seconds: module.diagnostic().duration / 1000 }))
    .toSorted((a, b) => b.seconds - a.seconds)
    .slice(0, SLOWEST)
    .map(({ file, seconds }) => `${seconds.toFixed(1).padStart(6)} s  ${file}`);
}

/** A line for each error, in or outside a test, which a log that keeps only its end still shows. */
function failures(modules: readonly TestModule[], unhandled: readonly SerializedError[]): string[] {
  const line = (where: string, message: string) =>
    `Failed: ${where}: ${stripVTControlCharacters(message).slice(0, 500)}`;
  const inModules = modules.flatMap((module) => {
    const file = module.relativeModuleId;
    const tests = [...module.children.allTests()].flatMap((test) =>
      (test.result().errors ?? []).map(({ message }) => line(`${file} ${test.fullName}`, message)),
    );
    const suites = [module, ...module.children.allSuites()].flatMap((suite) =>
      suite
        .errors()
        .map(({ message }) => line(suite.type === 'suite' ? `${file} ${suite.fullName}` : file, message)),
    );
    return [...suites, ...tests];
  });
  return [
    ...inModules,
    ...unhandled.map(({ message, stack }) => line('outside a test', `${message} ${stack ?? ''}`)),
  ];
}
