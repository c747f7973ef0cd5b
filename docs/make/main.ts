// Writes the pages of the manual that are generated from declarations.
import { readFileSync, writeFileSync } from 'node:fs';
import { commandsPage } from './commands-page.ts';
import { readDocument } from './document.ts';
import { operationsPage, operationsTable } from './operations-page.ts';

const ROOT = new URL('../../', import.meta.url);

/** Generates each page, by its path. In the README, only the table of operations. */
export const MADE_PAGES = {
  'docs/reference/operations.md': () => operationsPage(readDocument()),
  'docs/reference/commands.md': commandsPage,
  'README.md': () =>
    readFileSync(new URL('README.md', ROOT), 'utf8').replace(
      /(?<=^## Operations$[^|]+\n)(\|.*\n)+/m,
      operationsTable(readDocument(), 'docs/reference/operations.md'),
    ),
};

if (import.meta.main)
  for (const [name, make] of Object.entries(MADE_PAGES)) writeFileSync(new URL(name, ROOT), make());
