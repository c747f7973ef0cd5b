// The package as a frontend gets it: packed, installed beside @trpc alone, compiled strictly, and run.
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../cluster.ts';
import { insertPoints, type TestService } from '../service.ts';
import { answersByRest, startEmbeddedService } from './embedded-service.ts';

const run = promisify(execFile);
const read = (path: string) => JSON.parse(readFileSync(path, 'utf8'));
const TSC = 'node_modules/typescript/bin/tsc';

describe('the packed package', () => {
  const folder = mkdtempSync(join(tmpdir(), 'audio-metrics-consumer-'));
  const installed = join(folder, 'node_modules/audio-metrics');
  let service: TestService;
  let packed: { size: number; unpackedSize: number; files: { path: string }[] };

  beforeAll(async () => {
    service = await startEmbeddedService();
    packed = await packInto(folder);
    for (const name of ['@trpc/client', '@trpc/server', 'eventsource', 'eventsource-parser'])
      cpSync(join('node_modules', name), join(folder, 'node_modules', name), { recursive: true });
    for (const name of ['consumer.ts', 'exact-types.ts']) {
      const source = readFileSync(new URL(name, import.meta.url), 'utf8');
      writeFileSync(join(folder, name), source.replaceAll('../../src/client/index.ts', 'audio-metrics'));
    }
  });
  afterAll(async () => {
    await service?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function packInto(destination: string) {
    await run('npm', ['run', 'build']);
    const pack = ['pack', './dist', '--json', '--silent', '--pack-destination', destination];
    const { stdout } = await run('npm', pack);
    const report = JSON.parse(stdout.slice(stdout.search(/^[[{]/m)));
    const { filename, size, unpackedSize, files } = Array.isArray(report)
      ? report[0]
      : report['audio-metrics'];
    mkdirSync(installed, { recursive: true });
    await run('tar', ['xzf', join(destination, filename), '-C', installed, '--strip-components=1']);
    return { size, unpackedSize, files };
  }

  /** The compiler's complaints; none when the consumer's types are what they should be. */
  async function compile(options: Record<string, unknown>): Promise<string> {
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({
        compilerOptions: {
          target: 'es2022',
          lib: ['es2022', 'dom', 'dom.iterable', 'dom.asynciterable'],
          types: [],
          strict: true,
          noUncheckedIndexedAccess: true,
          skipLibCheck: true,
          outDir: 'out',
          ...options,
        },
        files: ['consumer.ts', 'exact-types.ts'],
      }),
    );
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    return await run(process.execPath, [TSC, '-p', folder]).then(
      ({ stdout }) => stdout,
      (error: { stdout: string }) => error.stdout,
    );
  }

  it('holds the client, its declarations and the documents, and nothing that runs on a server', () => {
    const others = packed.files.map(({ path }) => path).filter((path) => !path.endsWith('.d.ts'));
    expect(others.toSorted()).toEqual([
      'LICENSE',
      'README.md',
      'client/batch-when-several.js',
      'client/follow.js',
      'client/index.js',
      'client/query-links.js',
      'client/retry-waits.js',
      'client/service-error.js',
      'client/subscription-links.js',
      'contract/batch-limits.js',
      'package.json',
    ]);
    expect(packed.size).toBeLessThan(50_000);
    const code = others
      .filter((path) => path.endsWith('.js'))
      .map((path) => statSync(join(installed, path)).size);
    expect(code.reduce((sum, size) => sum + size)).toBeLessThan(12_000);
  });

  it('needs what it imports, each of which a frontend has or is small, and nothing of the service', () => {
    const { name, version, engines, scripts, dependencies, peerDependencies, devDependencies } = read(
      join(installed, 'package.json'),
    );
    expect([name, version]).toEqual(['audio-metrics', read('package.json').version]);
    expect([engines, scripts, devDependencies]).toEqual([undefined, undefined, undefined]);
    expect(dependencies).toEqual({ eventsource: expect.stringMatching(/^\^\d/) });
    expect(peerDependencies).toEqual({ '@trpc/client': '^11', '@trpc/server': '^11' });
    const code = packed.files.filter(({ path }) => path.endsWith('.js'));
    const imports = code.flatMap(({ path }) =>
      Array.from(
        readFileSync(join(installed, path), 'utf8').matchAll(/ from '((?:@[^/']+\/)?[^./'][^/']*)/g),
        ([, imported]) => imported,
      ),
    );
    const needed = Object.keys({ ...dependencies, ...peerDependencies });
    expect([...new Set(imports)].toSorted()).toEqual(needed.toSorted());
    expect(read('package.json').private).toBe(true);
  });

  it('gives a strict consumer exact types, resolved as bundler', async () => {
    expect(await compile({ module: 'esnext', moduleResolution: 'bundler', noEmit: true })).toBe('');
  });

  it('fails to compile where a consumer expects another type', async () => {
    const wrong = `import type { Point } from 'audio-metrics';\nexport const level: string = {} as Point['rms_db'];\n`;
    const consumer = readFileSync(join(folder, 'consumer.ts'), 'utf8');
    writeFileSync(join(folder, 'consumer.ts'), wrong);
    const complaints = await compile({ module: 'nodenext', noEmit: true });
    writeFileSync(join(folder, 'consumer.ts'), consumer);
    expect(complaints).toContain("Type 'null' is not assignable to type 'string'");
  });

  it('is what the script of examples/node needs, which compiles strictly', async () => {
    for (const name of ['package.json', 'report.ts']) cpSync(join('examples/node', name), join(folder, name));
    const types = ['--types', 'node', '--typeRoots', join(process.cwd(), 'node_modules/@types')];
    const strict = ['--strict', '--module', 'nodenext', '--target', 'es2024', '--skipLibCheck', '--noEmit'];
    const compiled = run(process.execPath, [TSC, ...strict, ...types, join(folder, 'report.ts')]);
    expect(await compiled.catch(({ stdout }) => ({ stdout }))).toMatchObject({ stdout: '' });

    const report = (url: string) => run(process.execPath, [join(folder, 'report.ts'), url]);
    await service.sql(insertPoints([['2026-03-01T12:00:00Z', -8.5, 440]]));
    expect(await report(service.url)).toEqual({
      stdout:
        '1 points from 2026-03-01T11:00:00.500000Z to 2026-03-01T12:00:00.500000Z\n' +
        'Leq -8.5 dB, L10 -8.5 dB, L90 -8.5 dB\n' +
        '2026-03-01T12:00:00.000000Z: 0 s above -10 dB, up to -8.5 dB\n',
      stderr: '',
    });
    const away = `http://127.0.0.1:${await freePort()}`;
    expect(await report(away).catch((error: object) => error)).toMatchObject({
      code: 1,
      stdout: '',
      stderr: `${away} cannot be reached: fetch failed\n`,
    });
  });

  it('gives them resolved as nodenext, runs in Node with no other package, and answers what REST answers', async () => {
    expect(await compile({ module: 'nodenext', moduleResolution: 'nodenext' })).toBe('');
    writeFileSync(
      join(folder, 'main.js'),
      `import { consume } from './out/consumer.js';\nconsole.log(JSON.stringify(await consume(process.argv[2])));\n`,
    );
    const { stdout } = await run(process.execPath, [join(folder, 'main.js'), service.url]);
    const answers = JSON.parse(stdout);
    expect(answers).toEqual(await answersByRest(service));
    expect(answers.refused.code).toBe('BAD_REQUEST');
  });
});
