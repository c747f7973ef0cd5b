// The package as a frontend gets it: packed, installed beside @trpc alone, compiled strictly, and run.
import { cpSync, mkdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { publint } from 'publint';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../cluster.ts';
import { insertPoints, type TestService } from '../service.ts';
import { type ConsumerProject, createConsumerProject, run } from './consumer-project.ts';
import { answersByRest, startSmallService } from './embedded-service.ts';

const read = (path: string) => JSON.parse(readFileSync(path, 'utf8'));

/** Pages whose code is for people to copy. */
const PAGES = ['README.md', 'docs/how-to/typescript.md', 'src/client/README.md'];
/** What some of it needs and this repository lacks. */
const LACKING = /'(@trpc\/tanstack-react-query|next\/server)'/;

describe('the packed package', () => {
  let service: TestService;
  let project: ConsumerProject;

  beforeAll(async () => {
    service = await startSmallService();
    project = await createConsumerProject();
    for (const name of ['consumer', 'exact-types'])
      for (const extension of ['ts', 'cts']) {
        const source = readFileSync(new URL(`${name}.ts`, import.meta.url), 'utf8');
        project.write(
          `${name}.${extension}`,
          source.replaceAll('../../src/client/index.ts', 'audio-metrics'),
        );
      }
  });
  afterAll(async () => {
    await service?.close();
    project?.remove();
  });

  it('holds the client twice, its declarations and the documents, and nothing that runs on a server', () => {
    const code = [
      'client/batch-when-several.js',
      'client/follow.js',
      'client/index.js',
      'client/query-links.js',
      'client/retry-waits.js',
      'client/service-error.js',
      'client/subscription-links.js',
      'contract/batch-limits.js',
    ];
    const modules = ['api/router.d.ts', ...code.flatMap((path) => [path, path.replace(/js$/, 'd.ts')])];
    expect(project.paths.toSorted()).toEqual(
      [
        ...['LICENSE', 'README.md', 'package.json', 'cjs/package.json'],
        ...modules.flatMap((path) => [`cjs/${path}`, `esm/${path}`]),
      ].toSorted(),
    );
    expect(project.packed.size).toBeLessThan(32_000);
    const sizes = code.map((path) => statSync(join(project.installed, 'esm', path)).size);
    expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(12_000);
  });

  it('needs what it imports, each of which a frontend has or is small, and nothing of the service', () => {
    const { name, version, engines, scripts, dependencies, peerDependencies, devDependencies } = read(
      join(project.installed, 'package.json'),
    );
    expect([name, version]).toEqual(['audio-metrics', read('package.json').version]);
    expect([engines, scripts, devDependencies]).toEqual([{ node: '>=20' }, undefined, undefined]);
    expect(dependencies).toEqual({ eventsource: expect.stringMatching(/^\^\d/) });
    expect(peerDependencies).toEqual({ '@trpc/client': '^11', '@trpc/server': '^11' });
    const code = project.paths.filter((path) => path.endsWith('.js'));
    const imports = code.flatMap((path) =>
      Array.from(
        readFileSync(join(project.installed, path), 'utf8').matchAll(
          /(?: from '|require\(")((?:@[^/'"]+\/)?[^./'"][^/'"]*)/g,
        ),
        ([, imported]) => imported,
      ),
    );
    const needed = Object.keys({ ...dependencies, ...peerDependencies });
    expect([...new Set(imports)].toSorted()).toEqual(needed.toSorted());
    expect(read('package.json').private).toBe(true);
  });

  it('has nothing that publint would change', async () => {
    const { messages } = await publint({ pkgDir: project.installed, pack: false });
    expect(messages).toEqual([]);
  });

  it('has no types that resolve otherwise than its code', async ({ skip }) => {
    const attw = ['--yes', '--prefer-offline', '--fetch-retries=0', '@arethetypeswrong/cli@0.18.5'];
    const { stdout, stderr } = await run('npx', [...attw, project.file, '--format', 'ascii']).catch(
      (error: { stdout: string; stderr: string }) => error,
    );
    skip(/npm error (network|code E)/.test(stderr), 'no registry can be reached, which has attw');
    expect(stdout).toContain('No problems found');
  });

  it('gives a strict consumer exact types where a bundler resolves it, and no zod is there', () => {
    const wrong = `import type { Point } from 'audio-metrics';\nexport const level: string = {} as Point['rms_db'];\n`;
    project.write('wrong.ts', wrong);
    const bundler = { module: 'esnext', moduleResolution: 'bundler' };
    const complaints = project.compile(['consumer.ts', 'exact-types.ts', 'wrong.ts'], bundler);
    expect(complaints).toBe(
      `wrong.ts(2,14): error TS2322: Type 'number | null' is not assignable to type 'string'.\n` +
        `  Type 'null' is not assignable to type 'string'.\n`,
    );
  });

  it('gives them to ES modules and to CommonJS in Node, and both have the answers of REST', async () => {
    const sources = ['consumer.ts', 'consumer.cts', 'exact-types.cts'];
    expect(project.compile(sources, { noEmit: false, outDir: join(project.folder, 'out') })).toBe('');
    const print = 'consume(process.argv[2]).then((answers) => console.log(JSON.stringify(answers)));\n';
    project.write('main.js', `import { consume } from './out/consumer.js';\n${print}`);
    project.write('main.cjs', `const { consume } = require('./out/consumer.cjs');\n${print}`);
    for (const name of ['main.js', 'main.cjs']) {
      // as in versions of Node.js that cannot require an ES module
      const { stdout, stderr } = await run(process.execPath, [
        '--no-experimental-require-module',
        join(project.folder, name),
        service.url,
      ]);
      expect(JSON.parse(stdout)).toEqual(await answersByRest(service));
      expect(stderr).toBe('');
    }
  });

  it('is what the manual and the script of examples/node need', async () => {
    cpSync('examples/node/report.ts', join(project.folder, 'report.ts'));
    for (const name of ['@types/node', '@types/react', '@tanstack/react-query', 'vite']) {
      const link = join(project.folder, 'node_modules', name);
      mkdirSync(dirname(link), { recursive: true });
      symlinkSync(join(process.cwd(), 'node_modules', name), link);
    }
    const blocks = PAGES.flatMap((page) =>
      Array.from(readFileSync(page, 'utf8').matchAll(/^```tsx?\n(.*?)^```/gms), ([, code = '']) => code),
    ).filter((code) => !LACKING.test(code));
    const names = blocks.map((_, i) => `block-${i}.tsx`);
    names.forEach((name, i) => void project.write(name, blocks[i] ?? ''));
    const settings = { module: 'esnext', moduleResolution: 'bundler', jsx: 'react-jsx', skipLibCheck: true };
    const complaints = project.compile(['report.ts', ...names], { ...settings, types: ['node', 'react'] });
    expect(complaints).toBe('');
    expect(blocks.length).toBeGreaterThan(8);

    const report = (url: string) => run(process.execPath, [join(project.folder, 'report.ts'), url]);
    await service.sql(insertPoints([['2026-03-01T12:00:00Z', -8.5, 440]]));
    expect(await report(service.url)).toEqual({
      stdout:
        '1 points from 2026-03-01T11:00:00.500000Z to 2026-03-01T12:00:00.500000Z\n' +
        'Leq -8.5 dBFS, L10 -8.5 dBFS, L90 -8.5 dBFS\n' +
        '2026-03-01T12:00:00.000000Z: 0 s above -10.0 dBFS, up to -8.5 dBFS\n',
      stderr: '',
    });
    await service.sql(
      "insert into audio_data_periods (since, weighting, reference_db) values ('2026-03-01T10:00:00Z', 'A', 100)",
    );
    expect((await report(service.url)).stdout).toContain(
      'Leq 91.5 dB(A), L10 91.5 dB(A), L90 91.5 dB(A)\n' +
        '2026-03-01T12:00:00.000000Z: 0 s above 90.0 dB(A), up to 91.5 dB(A)\n',
    );
    const away = `http://127.0.0.1:${await freePort()}`;
    expect(await report(away).catch((error: object) => error)).toMatchObject({
      code: 1,
      stdout: '',
      stderr: `${away} cannot be reached: fetch failed\n`,
    });
  });
});
