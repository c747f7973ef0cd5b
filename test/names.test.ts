// A name means one thing in all of src: no two files export the same name. Re-exports do not count.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { expect, it } from 'vitest';

const SRC = join(import.meta.dirname, '../src');

/** The names that a file declares and exports. A value and a type of one name in one file are one name. */
function exportsOf(path: string, text: string): Set<string> {
  const names = new Set<string>();
  const add = (name: ts.BindingName | undefined): void => {
    if (name === undefined) return;
    if (ts.isIdentifier(name)) names.add(name.text);
    else for (const element of name.elements) if (ts.isBindingElement(element)) add(element.name);
  };
  for (const statement of ts.createSourceFile(path, text, ts.ScriptTarget.Latest).statements) {
    if (!ts.canHaveModifiers(statement)) continue;
    if (!ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)) continue;
    if (ts.isVariableStatement(statement))
      for (const { name } of statement.declarationList.declarations) add(name);
    else if (
      ts.isFunctionDeclaration(statement) ||
      ts.isClassDeclaration(statement) ||
      ts.isInterfaceDeclaration(statement) ||
      ts.isTypeAliasDeclaration(statement)
    )
      add(statement.name);
  }
  return names;
}

/** @returns each name that several files export, with these files */
function repeatedIn(files: Iterable<readonly [path: string, text: string]>): string[] {
  const homes = new Map<string, string[]>();
  for (const [path, text] of files)
    for (const name of exportsOf(path, text)) homes.set(name, [...(homes.get(name) ?? []), path]);
  return [...homes].flatMap(([name, paths]) => (paths.length > 1 ? `${name}: ${paths.join(', ')}` : []));
}

it('no two files export the same name', () => {
  const files = globSync('**/*.{ts,tsx}', { cwd: SRC }).map(
    (path) => [path, readFileSync(join(SRC, path), 'utf8')] as const,
  );
  expect(files.length).toBeGreaterThan(400);
  expect(repeatedIn(files)).toEqual([]);
});

it('a repeated name is found in every form of an export, but not in a re-export', () => {
  const files = [
    [
      'a.ts',
      'export const [one, { two }] = f(); export type Three = 1; export class Four {} const five = 5;',
    ],
    [
      'b.ts',
      'export function one() {} export const two = 2; export interface Three {} export const five = 5;',
    ],
    ['c.ts', "export { one } from './a.ts'; export class Four {}"],
  ] as const;
  expect(repeatedIn(files)).toEqual([
    'one: a.ts, b.ts',
    'two: a.ts, b.ts',
    'Three: a.ts, b.ts',
    'Four: a.ts, c.ts',
  ]);
});
