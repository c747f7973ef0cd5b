// A stranger's project: the packed client is installed beside its peers, without zod.
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import ts from 'typescript';
import { buildPackage } from '../../src/package/build.ts';

export const run = promisify(execFile);

/** The strictest options. They check even tRPC's own declarations. */
const STRICT = {
  target: 'es2022',
  lib: ['es2022', 'dom', 'dom.iterable', 'dom.asynciterable', 'esnext.disposable'],
  types: [],
  module: 'nodenext',
  strict: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: false,
  noEmit: true,
};

/** The declarations of the language and of browsers, which all programs share. */
const libraries = new Map<string, ts.SourceFile | undefined>();

function hostOf(options: ts.CompilerOptions): ts.CompilerHost {
  const host = ts.createCompilerHost(options);
  const folder = dirname(ts.getDefaultLibFilePath(options));
  return {
    ...host,
    getSourceFile(name, ...how) {
      if (dirname(name) !== folder) return host.getSourceFile(name, ...how);
      if (!libraries.has(name)) libraries.set(name, host.getSourceFile(name, ...how));
      return libraries.get(name);
    },
  };
}

/** The compiler's errors for the files of a folder; empty if their types are right. */
export function compileIn(
  folder: string,
  names: readonly string[],
  settings: Record<string, unknown> = {},
): string {
  const { options, errors } = ts.convertCompilerOptionsFromJson({ ...STRICT, ...settings }, folder);
  const program = ts.createProgram(
    names.map((name) => join(folder, name)),
    options,
    hostOf(options),
  );
  // leaves out the service's own sources, which one test compares with the package
  const files = program.getSourceFiles().filter(({ fileName }) => fileName.startsWith(folder));
  const complaints = files.flatMap((file) => ts.getPreEmitDiagnostics(program, file));
  program.emit();
  return ts.formatDiagnostics(ts.sortAndDeduplicateDiagnostics([...errors, ...complaints]), {
    getCurrentDirectory: () => folder,
    getCanonicalFileName: (name) => name,
    getNewLine: () => '\n',
  });
}

export type ConsumerProject = Awaited<ReturnType<typeof createConsumerProject>>;

/** Builds and packs the client, and installs the package. */
export async function createConsumerProject() {
  const folder = mkdtempSync(join(tmpdir(), 'audio-metrics-consumer-'));
  const installed = join(folder, 'node_modules/audio-metrics');
  const built = join(folder, 'built');
  buildPackage(built);
  const { stdout } = await run('npm', ['pack', built, '--json', '--silent', '--pack-destination', folder]);
  const report = JSON.parse(stdout.slice(stdout.search(/^[[{]/m)));
  const packed: { filename: string; size: number; files: { path: string }[] } = Array.isArray(report)
    ? report[0]
    : report['audio-metrics'];
  const file = join(folder, packed.filename);
  mkdirSync(installed, { recursive: true });
  await run('tar', ['xzf', file, '-C', installed, '--strip-components=1']);
  rmSync(built, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  for (const name of ['@trpc/client', '@trpc/server', 'eventsource-parser'])
    cpSync(join('node_modules', name), join(folder, 'node_modules', name), { recursive: true });

  return {
    folder,
    installed,
    /** The packed package. */
    file,
    packed,
    paths: packed.files.map(({ path }) => path),
    write: (name: string, text: string) => writeFileSync(join(folder, name), text),
    compile: (names: readonly string[], settings?: Record<string, unknown>) =>
      compileIn(folder, names, settings),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
