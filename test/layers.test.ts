import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { describe, expect, it } from 'vitest';

/** The parts that each part of `src` may import. Imports lead one way: down. */
const ALLOWED: Record<string, string[]> = {
  contract: [],
  'errors.ts': [],
  'loop.ts': [],
  'signal.ts': [],
  'event-loop-queue.ts': [],
  commands: ['contract'],
  load: ['errors.ts', 'signal.ts'],
  database: ['contract', 'errors.ts', 'event-loop-queue.ts', 'signal.ts'],
  rollups: ['database', 'contract', 'errors.ts', 'loop.ts'],
  points: ['database', 'contract', 'event-loop-queue.ts'],
  operations: 'points rollups database load contract errors.ts loop.ts signal.ts event-loop-queue.ts'.split(
    ' ',
  ),
  http: ['operations', 'load', 'points', 'contract', 'errors.ts', 'loop.ts'],
  telemetry: ['http', 'operations', 'rollups', 'database', 'contract'],
  sound: ['commands', 'contract'],
  recorder: ['sound', 'commands', 'database', 'contract', 'errors.ts', 'loop.ts'],
  import: ['recorder', 'sound', 'commands', 'database', 'contract', 'signal.ts'],
  backup: ['commands', 'points', 'rollups', 'database', 'contract'],
  client: ['contract'],
  package: ['operations', 'contract'],
  texts: [],
  notify: ['client', 'texts', 'commands', 'contract', 'loop.ts', 'signal.ts'],
  page: ['client', 'texts', 'contract'],
  cli: 'telemetry notify client backup import recorder commands http operations load rollups database contract errors.ts loop.ts signal.ts'.split(
    ' ',
  ),
};
/** Parts from which a part may import only types. */
const ALLOWED_TYPES: Record<string, string[]> = {
  client: ['operations'],
  points: ['rollups'],
  sound: ['database'],
  http: ['database', 'rollups'],
};

const root = join(import.meta.dirname, '../src');
const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) => /\.tsx?$/.test(file));
/** An operation's `contract.ts` is a part of the contract: pages and clients import it. */
const partOf = (file: string) =>
  /^operations\/.*\/contract\.ts$/.test(file) ? 'contract' : (file.split('/')[0] ?? '');

function importsOf(file: string): { specifier: string; typeOnly: boolean }[] {
  const text = readFileSync(join(root, file), 'utf8');
  const imports = text.matchAll(/^(?:import|export) (type )?[^;]*? from '([^']+)';/gm);
  const loaded = text.matchAll(/\bimport\('(\.[^']+)'\)/g);
  return [
    ...Array.from(imports, ([, type, specifier = '']) => ({ specifier, typeOnly: type !== undefined })),
    ...Array.from(loaded, ([, specifier = '']) => ({ specifier, typeOnly: false })),
  ];
}

/** Our files that a file imports. */
const targetsOf = (file: string) =>
  importsOf(file).flatMap(({ specifier }) =>
    specifier.startsWith('.') ? join(dirname(file), specifier) : [],
  );

describe.each(Object.entries(ALLOWED))('src/%s', (part, allowed) => {
  it(`imports no folder of ours but itself${allowed.map((name) => `, ${name}`).join('')}`, () => {
    const mine = files.filter((file) => partOf(file) === part);
    expect(mine).not.toEqual([]);
    const wrong = mine.flatMap((file) =>
      importsOf(file)
        .filter(({ specifier }) => specifier.startsWith('.'))
        .map(({ specifier, typeOnly }) => ({
          file,
          typeOnly,
          to: partOf(relative(root, join(root, dirname(file), specifier))),
        }))
        .filter(({ to, typeOnly }) => {
          const types = typeOnly ? (ALLOWED_TYPES[part] ?? []) : [];
          return to !== part && !allowed.includes(to) && !types.includes(to);
        }),
    );
    expect(wrong).toEqual([]);
  });
});

it('the page imports downwards only: panels, charts, state', () => {
  const rooms = ['state', 'charts', 'panels'];
  const upwards = rooms.flatMap((room, i) =>
    files
      .filter((file) => file.startsWith(`page/${room}/`))
      .filter((file) => targetsOf(file).some((to) => rooms.slice(i + 1).includes(to.split('/')[1] ?? ''))),
  );
  expect(upwards).toEqual([]);
});

it.each(['client', 'notify', 'page'])('has no import cycle in %s', (part) => {
  const imports = new Map(
    files.filter((file) => partOf(file) === part).map((file) => [file, targetsOf(file)]),
  );
  const ends = () => [...imports].filter(([, targets]) => !targets.some((to) => imports.has(to)));
  for (let found = ends(); found.length > 0; found = ends()) for (const [file] of found) imports.delete(file);
  expect([...imports.keys()]).toEqual([]);
});

it('keeps the contract free of everything but zod, so that it runs in a browser', () => {
  const packages = files
    .filter((file) => partOf(file) === 'contract')
    .flatMap((file) => importsOf(file).map(({ specifier }) => specifier))
    .filter((specifier) => !specifier.startsWith('.'));
  expect(new Set(packages)).toEqual(new Set(['zod']));
});

it('reads process.env only at the process edge', () => {
  const readers = files.filter((file) => readFileSync(join(root, file), 'utf8').includes('process.env'));
  expect(readers).toEqual(['main.ts']);
});

it('has no file that imports itself through others, not even for types', () => {
  const importedBy = new Map(
    files.map((file) => [
      file,
      importsOf(file).map(({ specifier }) => normalize(join(dirname(file), specifier))),
    ]),
  );
  const reachedFrom = (start: string) => {
    const reached = new Set(importedBy.get(start));
    for (const file of reached) for (const next of importedBy.get(file) ?? []) reached.add(next);
    return reached;
  };
  expect(files.filter((file) => reachedFrom(file).has(file))).toEqual([]);
});
