// Reads the sentences, cells, headings and links of a page of the manual.
import { createAnchors } from '../../src/page/manual-pages.ts';

export interface Block {
  readonly kind: 'paragraph' | 'cell' | 'heading';
  readonly text: string;
}

/** @returns the prose, without code, comments and tags */
export function blocksOf(page: string): Block[] {
  const prose = page
    .replace(/^---\n[\s\S]*?\n---\n/, '')
    .replace(/^ *(```+)[\s\S]*?^ *\1 *$/gm, '\n')
    .replace(/<!--[\s\S]*?-->/g, '')
    .replace(/^<\/?[a-z][^\n]*>$/gm, '')
    .replace(/(?<=\n\n)(?: {4}[^\n]*\n+)+/g, '\n');
  const blocks: Block[] = [];
  let lines: string[] = [];
  const end = () => {
    if (lines.length > 0) blocks.push({ kind: 'paragraph', text: lines.join(' ') });
    lines = [];
  };
  for (const line of prose.split('\n')) {
    const text = line.trim();
    if (text === '' || /^([#|>]|[-*] |\d+\. )/.test(text)) end();
    if (text.startsWith('#')) blocks.push({ kind: 'heading', text: text.replace(/^#+ */, '') });
    else if (text.startsWith('|')) blocks.push(...cellsOf(text));
    else if (text !== '') lines.push(text.replace(/^([-*>]|\d+\.) +/, ''));
  }
  end();
  return blocks;
}

function cellsOf(row: string): Block[] {
  if (/^[|\s:-]+$/.test(row)) return [];
  const cells = row.replaceAll('\\|', '¦').split('|').slice(1, -1);
  return cells.map((text) => ({ kind: 'cell', text: text.trim() }));
}

/** Code in backticks counts as one word. */
export function wordsOf(text: string): string[] {
  const plain = text.replace(/`+[^`]*`+/g, 'code').replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1');
  return plain.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word));
}

export function sentencesOf(text: string): string[] {
  return text.replace(/`+[^`]*`+/g, 'code').split(/(?<=[.!?]["*)]*)\s+(?=["*([]*[\p{Lu}\p{N}]|code|-)/u);
}

/** The targets of the links and pictures of a page, as written. */
export function linksOf(page: string): string[] {
  const prose = page.replace(/^ *(```+)[\s\S]*?^ *\1 *$/gm, '').replace(/`[^`\n]+`/g, '');
  const links = prose.matchAll(/\]\(<?([^)\s>]+)>?\)|(?:src|srcset|href)="([^"]+)"/g);
  return Array.from(links, ([, link, attribute]) => link ?? attribute ?? '');
}

/** The anchors of a page, derived from its headings as code forges do. */
export function anchorsOf(page: string): string[] {
  const anchorOf = createAnchors();
  return blocksOf(page).flatMap(({ kind, text }) =>
    kind === 'heading' ? [anchorOf(text.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/[`*]/g, ''))] : [],
  );
}
