// The package as a frontend uses it: packed, installed beside only @trpc, compiled strictly, run, and read in an editor.
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { publint } from 'publint';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../cluster.ts';
import { insertPoints, type TestService } from '../service.ts';
import { type ConsumerProject, createConsumerProject, run } from './consumer-project.ts';
import { answersByRest, startSmallService } from './embedded-service.ts';

const read = (path: string) => JSON.parse(readFileSync(path, 'utf8'));

/** Pages with code for people to copy. */
const PAGES = ['README.md', 'docs/how-to/typescript.md', 'src/client/README.md'];
const blocksOf = (page: string) =>
  Array.from(readFileSync(page, 'utf8').matchAll(/^```tsx?\n(.*?)^```/gms), ([, code = '']) => code);
/** Skips code that tools.test.ts compiles, or that needs packages missing here. */
const LACKING = /'(next\/server|openapi-fetch)'/;

/** A file that is open in an editor. */
const CODE = `
import { createClient } from 'audio-metrics';
const client = createClient('http://127.0.0.1:3000');
const figures = await client.stats.summary.query({ period: '1h' });
const { events } = await client.events.list.query({ hold_seconds: 5, threshold: -20 });
client.audio.live.subscribe({}, { onData: ({ data }) => console.log(data.points[0]?.rms_db) });
console.log(figures.leq_db, events[0]?.sel_db);
`;

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

  it('contains the client for ES modules and CommonJS, declarations and documents, and no server code', () => {
    const sources = globSync('client/*.ts', { cwd: join(import.meta.dirname, '../../src') });
    const code = [...sources, 'contract/batch-limits.ts'].map((path) => path.replace(/ts$/, 'js'));
    const modules = [
      'operations/router.d.ts',
      ...code.flatMap((path) => [path, path.replace(/js$/, 'd.ts')]),
    ];
    expect(project.paths.toSorted()).toEqual(
      [
        ...['LICENSE', 'README.md', 'package.json', 'cjs/package.json'],
        ...modules.flatMap((path) => [`cjs/${path}`, `esm/${path}`]),
      ].toSorted(),
    );
    expect(project.packed.size).toBeLessThan(32_000);
    const sizes = code.map((path) => statSync(join(project.installed, 'esm', path)).size);
    expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(16_000);
  });

  it('depends only on packages that frontends have or that are small, and on nothing of the service', () => {
    const { name, version, engines, scripts, dependencies, peerDependencies, devDependencies } = read(
      join(project.installed, 'package.json'),
    );
    expect([name, version]).toEqual(['audio-metrics', read('package.json').version]);
    expect([engines, scripts, devDependencies]).toEqual([{ node: '>=18' }, undefined, undefined]);
    expect(dependencies).toEqual({ 'eventsource-parser': expect.stringMatching(/^\^\d/) });
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

  it('passes publint without suggestions', async () => {
    const { messages } = await publint({ pkgDir: project.installed, pack: false });
    expect(messages).toEqual([]);
  });

  it('gives a strict consumer exact types and the answers of REST, as ES module and as CommonJS in Node, without zod', async () => {
    const sources = ['consumer.ts', 'consumer.cts', 'exact-types.cts'];
    expect(await project.compile(sources, { noEmit: false, outDir: join(project.folder, 'out') })).toBe('');
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

  it("infers the types of the service's router for every procedure", async () => {
    const source = readFileSync(new URL('same-types.ts', import.meta.url), 'utf8')
      .replace('../../src/client/index.ts', 'audio-metrics')
      .replace('../../src', relative(project.folder, 'src'));
    project.write('same-types.ts', source);
    const { compilerOptions } = read('tsconfig.json');
    const typeRoots = [join(process.cwd(), 'node_modules/@types')];
    expect(await project.compile(['same-types.ts'], { ...compilerOptions, typeRoots })).toBe('');
  });

  it("compiles the manual's code and examples/node when a bundler resolves it, and runs the example", async () => {
    cpSync('examples/node/report.ts', join(project.folder, 'report.ts'));
    for (const name of ['@types/node', '@types/react', '@tanstack/react-query', 'vite']) {
      const link = join(project.folder, 'node_modules', name);
      mkdirSync(dirname(link), { recursive: true });
      symlinkSync(join(process.cwd(), 'node_modules', name), link);
    }
    // copied, so that it resolves the project's tRPC
    const proxy = join('node_modules', '@trpc/tanstack-react-query');
    cpSync(proxy, join(project.folder, proxy), { recursive: true });
    const blocks = PAGES.flatMap(blocksOf).filter((code) => !LACKING.test(code));
    const names = blocks.map((_, i) => `block-${i}.tsx`);
    names.forEach((name, i) => void project.write(name, blocks[i] ?? ''));
    const settings = { module: 'esnext', moduleResolution: 'bundler', jsx: 'react-jsx' };
    const wrong = `import type { Point, Summary, SummaryInput, LatestInput, EventsSeriesInput, EventSeries } from 'audio-metrics';
    export const named: [SummaryInput, LatestInput, EventsSeriesInput['above_background'], Summary['leq_db'], EventSeries['from']] =
      [{ period: '1h' }, { limit: 1 }, 3, null, ''];
    export const level: string = {} as Point['rms_db'];\n`;
    project.write('wrong.ts', wrong);
    const sources = ['consumer.ts', 'exact-types.ts', 'wrong.ts', 'report.ts', ...names];
    expect(await project.compile(sources, { ...settings, types: ['node', 'react'] })).toBe(
      `wrong.ts(4,18): error TS2322: Type 'number | null' is not assignable to type 'string'.\n` +
        `  Type 'null' is not assignable to type 'string'.\n`,
    );
    expect(blocks.length).toBeGreaterThan(8);

    const report = (url: string) => run(process.execPath, [join(project.folder, 'report.ts'), url]);
    const seconds = Array.from({ length: 10 }, (_, n) => `2026-03-01T11:59:4${n}Z`);
    await service.sql(insertPoints(seconds.map((time) => [time, -8.5, 440])));
    expect(await report(service.url).catch((error: object) => error)).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(
        / refused: .*levels must be `stored`: .*\nCalibrate, or set LEVELS=stored\n$/,
      ),
    });
    await service.sql(
      "insert into audio_data_periods (since, weighting, reference_db) values ('2026-03-01T10:00:00Z', 'A', 100)",
    );
    expect(await report(service.url)).toEqual({
      stdout:
        '10 points from 2026-03-01T11:00:00.500000Z to 2026-03-01T12:00:00.500000Z\n' +
        'Leq 91.5 dB(A), L10 91.5 dB(A), L90 91.5 dB(A)\n' +
        '2026-03-01T11:59:40.000000Z: 10 s above 90.0 dB(A), up to 91.5 dB(A)\n',
      stderr: '',
    });
    const away = `http://127.0.0.1:${await freePort()}`;
    expect(await report(away).catch((error: object) => error)).toMatchObject({
      code: 1,
      stdout: '',
      stderr: `${away} cannot be reached: fetch failed\n`,
    });
  });

  it("types and answers queries, subscriptions and exports through tRPC's own links, as the manual shows them", async () => {
    const time = '2026-03-01T11:59:59.000000Z';
    await service.sql(insertPoints([[time, -20, 440]]));
    const own = blocksOf('docs/how-to/typescript.md').find((code) => code.includes('httpSubscriptionLink'));
    project.write('own-links.ts', own?.replace('http://127.0.0.1:3000', service.url) ?? '');
    project.write(
      'use-own-links.js',
      `import { EventSource } from ${JSON.stringify(import.meta.resolve('eventsource'))};
      Object.assign(globalThis, { EventSource });
      console.log = () => {}; // of loggerLink
      const { client } = await import('./own-links.ts');
      const interval = { from: '2026-03-01T11:59:59Z', to: '2026-03-01T12:00:00Z' };
      const [{ points }, file] = await Promise.all([
        client.audio.range.query(interval),
        client.export.csv.query(interval),
      ]);
      let csv = '';
      for await (const text of file) csv += text;
      const event = await new Promise((resolve, reject) => {
        const listener = { onData: ({ data }) => resolve(data), onError: reject };
        client.audio.live.subscribe({ from: 'now-2s' }, listener);
      });
      process.stdout.write(JSON.stringify({ points, csv, event }), () => process.exit());`,
    );
    const { stdout } = await run(process.execPath, [join(project.folder, 'use-own-links.js')]);
    const { points, csv, event } = JSON.parse(stdout);
    expect(points).toEqual([{ time, rms_db: -20, frequency_hz: 440, is_silence: false }]);
    expect(csv).toBe(`time,rms_db,frequency_hz,is_silence\n${time},-20,440,false\n`);
    expect(event).toMatchObject({ restart_from: null, stale: false });
    expect(event.points[0]).toEqual(points[0]);
  });

  describe('in its declarations', () => {
    it('imports only tRPC, which is a peer, and packed files', () => {
      const declarations = project.paths.filter((path) => path.endsWith('.d.ts'));
      const imports = declarations.flatMap((path) => {
        const text = readFileSync(join(project.installed, path), 'utf8');
        return Array.from(text.matchAll(/(?:from |import\()['"]([^'"]+)['"]/g), ([, to = '']) => ({
          path,
          to,
        }));
      });
      const [near, far] = [
        imports.filter(({ to }) => to.startsWith('.')),
        imports.filter(({ to }) => !to.startsWith('.')),
      ];
      expect(new Set(far.map(({ to }) => to))).toEqual(
        new Set(['@trpc/client', '@trpc/server', '@trpc/server/observable']),
      );
      expect(near).not.toEqual([]);
      for (const { path, to } of near) {
        const declaration = join(project.installed, dirname(path), to.replace(/\.ts$/, '.d.ts'));
        expect(existsSync(declaration), `${path} imports ${to}`).toBe(true);
      }
    });

    describe('in an editor', () => {
      const path = () => join(project.folder, 'editor.ts');
      let service: ts.LanguageService;
      beforeAll(() => {
        project.write('editor.ts', CODE);
        const { fileExists, readFile, directoryExists, getDirectories } = ts.sys;
        service = ts.createLanguageService({
          getCompilationSettings: () => ({
            module: ts.ModuleKind.NodeNext,
            target: ts.ScriptTarget.ES2022,
            strict: true,
          }),
          getScriptFileNames: () => [path()],
          getScriptVersion: () => '1',
          getScriptSnapshot: (file) => ts.ScriptSnapshot.fromString(readFile(file) ?? ''),
          getCurrentDirectory: () => project.folder,
          getDefaultLibFileName: ts.getDefaultLibFilePath,
          fileExists,
          readFile,
          directoryExists,
          getDirectories,
        });
      });
      afterAll(() => service.dispose());

      it.each([
        ['leq_db', 'leq_db: number | null', 'the energy mean, dB'],
        ['hold_seconds', 'hold_seconds?: number | "auto" | undefined', 'From 0 to 3600'],
        ['threshold', 'threshold?: number | undefined', 'dB: -50 to 0 as stored'],
        ['sel_db', 'sel_db: number | null', 'ISO 1996-1'],
        ['rms_db', 'rms_db: number | null', '-50 (floor) to 0 as stored'],
        ['summary', 'output: Summary;', 'point_count is 0 and the other figures are null'],
        ['live', 'live: ', 'Server-sent events'],
        ['createClient', 'createClient(url: string | URL', 'Creates a client of a service.'],
      ])("shows %s with the contract's description", (name, type, words) => {
        const info = service.getQuickInfoAtPosition(path(), CODE.search(new RegExp(`\\b${name}\\b`)));
        expect(ts.displayPartsToString(info?.displayParts)).toContain(type);
        expect(ts.displayPartsToString(info?.documentation)).toContain(words);
      });
    });
  });
});
