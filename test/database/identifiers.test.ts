// Names in SQL: quoted wherever they are written, so that a station may have any word of SQL as its name.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { expect, inject, it } from 'vitest';
import { isStationName } from '../../src/contract/station.ts';
import { identifier } from '../../src/database/drizzle.ts';
import { openPglite } from '../../src/database/pglite.ts';
import { assertMakeable, listStations } from '../../src/database/station-schemas.ts';
import { openForAll } from '../engines.ts';

const src = join(import.meta.dirname, '../../src');
/** The words of SQL that a name follows, and the text after a name that qualifies another. */
const BEFORE =
  /\b(schema|role|user|database|table|into|from|join|update|on|to|trigger|function|copy|cascade|search_path =)\s$/i;
const AFTER = /^\.\w/;
const SQL =
  /^\s*(select|insert|update|delete|create|drop|alter|grant|revoke|lock|set|copy|with|truncate|comment|begin)\b/i;
/** Interpolations of fixed names, and of lists that `identifier` began. Fixed names in capitals need no line here. */
const OURS = ['database/timescale/policy-health.ts: messages'];

/** @returns what each template string of SQL has in the place of a name, unless `identifier` wrote it */
function namesWithout(file: string): string[] {
  const source = ts.createSourceFile(
    file,
    readFileSync(join(src, file), 'utf8'),
    ts.ScriptTarget.Latest,
    true,
  );
  const written = new Set<string>();
  const found: string[] = [];
  const isSafe = (text: string) =>
    /^identifier\(.*\)$/s.test(text) || /^[A-Z_]+$/.test(text) || written.has(text);
  (function collect(node: ts.Node): void {
    if (
      ts.isVariableDeclaration(node) &&
      node.initializer &&
      /\bidentifier\(/.test(node.initializer.getText())
    )
      written.add(node.name.getText());
    node.forEachChild(collect);
  })(source);
  (function search(node: ts.Node): void {
    if (
      ts.isTemplateExpression(node) &&
      !ts.isTaggedTemplateExpression(node.parent) &&
      SQL.test(node.head.text)
    ) {
      let before = node.head.text;
      for (const { expression, literal } of node.templateSpans) {
        const text = expression.getText();
        if ((BEFORE.test(before) || AFTER.test(literal.text)) && !isSafe(text))
          found.push(`${file}: ${text}`);
        before = literal.text;
      }
    }
    node.forEachChild(search);
  })(source);
  return found;
}

it('writes every name into SQL by one function', () => {
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((file) => /\.ts$/.test(file));
  expect(new Set(files.flatMap(namesWithout))).toEqual(new Set(OURS));
});

const db = openForAll(() => openPglite({ template: inject('pgliteTemplate') }));

it('lists and makes stations of every name that PostgreSQL uses as a word', async () => {
  const found = await db.run<{ word: string }>('select word from pg_get_keywords() order by word');
  const words = found.map(({ word }) => word).filter(isStationName);
  expect(words.length).toBeGreaterThan(400);
  for (const word of words) await assertMakeable(db.run, word);
  const made = words.map(
    (word) => `create schema ${identifier(word)};
      create table ${identifier(word)}.audio_data_station ();
      create table ${identifier(word)}.__drizzle_migrations ();
      insert into ${identifier(word)}.audio_data_station default values;`,
  );
  await db.run(made.join('\n'));
  expect((await listStations(db)).map(({ name }) => name)).toEqual(words);
  for (const word of words) await expect(assertMakeable(db.run, word)).rejects.toThrow('already exists');
});
