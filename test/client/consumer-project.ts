// A stranger's project: the packed client is installed beside its peers, without zod.
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
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

const TSC = join(import.meta.dirname, '../../node_modules/typescript-7/bin/tsc');

/** The compiler's errors for the files of a folder; empty if their types are right. */
export async function compileIn(
  folder: string,
  files: readonly string[],
  settings: Record<string, unknown> = {},
): Promise<string> {
  const config = join(folder, 'tsconfig.json');
  writeFileSync(config, JSON.stringify({ compilerOptions: { ...STRICT, ...settings }, files }));
  const compiling = run(process.execPath, [TSC, '-p', config, '--pretty', 'false'], { cwd: folder });
  const { stdout, stderr } = await compiling.catch((error: { stdout: string; stderr: string }) => error);
  return stdout + stderr;
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
    compile: (files: readonly string[], settings?: Record<string, unknown>) =>
      compileIn(folder, files, settings),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
