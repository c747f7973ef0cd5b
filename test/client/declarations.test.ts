// The declarations of the packed client: they need nothing that a frontend lacks, and say what the contract says.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ConsumerProject, createConsumerProject } from './consumer-project.ts';

/** What somebody has in an editor. */
const CODE = `
import { createClient } from 'audio-metrics';
const client = createClient('http://127.0.0.1:3000');
const figures = await client.stats.summary.query({ period: '1h' });
const { events } = await client.events.list.query({ hold_seconds: 5, threshold: -20 });
client.audio.live.subscribe({}, { onData: ({ data }) => console.log(data.points[0]?.rms_db) });
console.log(figures.leq_db, events[0]?.sel_db);
`;

describe('the declarations of the packed client', () => {
  let project: ConsumerProject;
  beforeAll(async () => {
    project = await createConsumerProject();
  });
  afterAll(() => project?.remove());

  it('import nothing but tRPC, which is a peer, and what is packed', () => {
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

  it('infer of every procedure what the router of the service infers', () => {
    const source = readFileSync(new URL('same-types.ts', import.meta.url), 'utf8')
      .replace('../../src/client/index.ts', 'audio-metrics')
      .replace('../../src', relative(project.folder, 'src'));
    project.write('same-types.ts', source);
    const { compilerOptions } = JSON.parse(readFileSync('tsconfig.json', 'utf8'));
    const typeRoots = [join(process.cwd(), 'node_modules/@types')];
    expect(project.compile(['same-types.ts'], { ...compilerOptions, typeRoots })).toBe('');
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
      [
        'leq_db',
        '(property) leq_db: number | null',
        'Equivalent continuous level: 10·log10(mean(10^(rms_db/10))), the energy mean, dB',
      ],
      [
        'hold_seconds',
        '(property) hold_seconds?: number | undefined',
        /^How far apart neighbouring points above threshold - hysteresis may be within an event, in seconds .* From 0 to 3600$/,
      ],
      [
        'threshold',
        '(property) threshold?: number | undefined',
        'An event has a point strictly above this level in dB; -10 where above_background is not given either. From -50 to 0',
      ],
      [
        'sel_db',
        '(property) sel_db: number | null',
        /^Sound exposure level \(ISO 1996-1\): .*, dB; null where/,
      ],
      [
        'rms_db',
        '(property) rms_db: number | null',
        /^Level of the window, -50 \(floor\) to 0: .* dB relative/,
      ],
      [
        'summary',
        /^\(property\) summary: \{\s+query: Resolver<\{\s+input: .*StatsSummaryInput.*;\s+output: Summary;/,
        'Statistics of a window.\n\nExact statistics of the window [to - period, to), or of [from, to). An empty window has point_count 0 and null elsewhere.',
      ],
      ['live', /^\(property\) live: /, /^Every new point, as it comes\.\n\nServer-sent events: /],
      ['createClient', /createClient\(url: string \| URL/, /^Creates a client of a service\. /],
    ])('show of %s what it is, in the words of the contract', (name, type, words) => {
      const info = service.getQuickInfoAtPosition(path(), CODE.search(new RegExp(`\\b${name}\\b`)));
      expect(ts.displayPartsToString(info?.displayParts)).toEqual(matching(type));
      expect(ts.displayPartsToString(info?.documentation)).toEqual(matching(words));
    });
  });
});

const matching = (text: string | RegExp) => (typeof text === 'string' ? text : expect.stringMatching(text));
