// Writes the reference pages that are generated from declarations.
import { writeFileSync } from 'node:fs';
import { commandsPage } from './commands-page.ts';
import { readDocument } from './document.ts';
import { operationsPage } from './operations-page.ts';

/** Generates each page, by its name in docs/reference. */
export const MADE_PAGES = {
  'operations.md': () => operationsPage(readDocument()),
  'commands.md': commandsPage,
};

if (import.meta.main)
  for (const [name, make] of Object.entries(MADE_PAGES))
    writeFileSync(new URL(`../reference/${name}`, import.meta.url), make());
