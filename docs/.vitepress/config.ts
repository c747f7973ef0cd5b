// The site of the manual: `npm run docs` builds it of the pages that a forge shows, with search and from one host.
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { anchorOf } from '../../src/page/heading-anchors.ts';

// by VitePress's own rule an address that ends otherwise is a page
process.env.VITE_EXTRA_EXTENSIONS = 'py,r,R,service,cfg';

const link = (path: string) => `/docs/${path.replace(/\.md$/, '')}`;

/** The table of contents says what there is, and in which order. */
function sidebar() {
  const contents = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  return contents
    .split(/^## /m)
    .slice(1)
    .map((section) => ({
      text: section.slice(0, section.indexOf('\n')),
      items: Array.from(section.matchAll(/^- \[(.+?)\]\((.+?)\):/gm), ([, text = '', path = '']) => ({
        text,
        link: link(path),
      })),
    }));
}

/** What VitePress knows of a page while it reads it: tokens, of which some are links. */
interface Token {
  readonly type: string;
  readonly children: readonly Token[] | null;
  attrGet(name: string): string | null;
  attrSet(name: string, value: string): void;
}
interface Reader {
  readonly core: { readonly ruler: { push(name: string, rule: (state: { tokens: Token[] }) => void): void } };
}

/** Links name README.md, as on a forge. */
function leadToIndex({ core }: Reader): void {
  core.ruler.push('index', ({ tokens }) => {
    for (const token of tokens.flatMap(({ children }) => children ?? [])) {
      const href = token.type === 'link_open' ? token.attrGet('href') : null;
      if (href) token.attrSet('href', href.replace(/(?<=^|\/)README\.md/, 'index.md'));
    }
  });
}

export default {
  title: 'Audio Metrics',
  description: 'The manual of Audio Metrics, a query service over audio measurements',
  srcDir: '..',
  srcExclude: ['{node_modules,src,test,bench,dist,dist-page,data,data-demo,.github,.ci}/**'],
  outDir: './.vitepress/dist',
  /** A forge shows README.md of a folder; a site shows index.html. */
  rewrites: {
    'README.md': 'index.md',
    'docs/README.md': 'docs/index.md',
    'deploy/README.md': 'deploy/index.md',
    'examples/README.md': 'examples/index.md',
  },
  // test/docs holds the links; some lead to files that are no pages
  ignoreDeadLinks: true,
  markdown: { config: leadToIndex, anchor: { slugify: anchorOf } },
  buildEnd({ outDir }: { outDir: string }) {
    for (const folder of ['examples', 'deploy', '.devcontainer'])
      cpSync(folder, join(outDir, folder), {
        recursive: true,
        filter: (path) => !/node_modules|\.md$/.test(path),
      });
  },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    nav: [
      { text: 'Manual', link: '/docs/' },
      { text: 'Operations', link: link('reference/operations.md') },
      { text: 'Troubleshooting', link: link('how-to/troubleshooting.md') },
    ],
    sidebar: sidebar(),
  },
};
