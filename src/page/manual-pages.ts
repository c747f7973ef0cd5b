// The manual as pages of the service: each file of `docs/` at its path under /manual. Links are relative, and anchors
// are in the style of code forges.
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path/posix';
import { Marked } from 'marked';

const DOCS = join(import.meta.dirname, '../../docs');

const pageOf = (file: string) =>
  `manual/${file.replace(/README\.md$/, 'index.md').replace(/\.md$/, '.html')}`;

/** A link from the page of `file` to another page. An index is linked by its folder. */
const linkTo = (page: string, file: string) =>
  relative(dirname(pageOf(file)), page).replace(/(?<=^|\/)index\.html$/, '') || './';

/** @returns the address of a link in a file of the manual; undefined if it leads outside the manual */
function addressOf(href: string, file: string, files: ReadonlySet<string>): string | undefined {
  if (/^(https?:|#)/.test(href)) return href;
  const [path = '', anchor] = href.split('#');
  const target = join(file, '..', path);
  if (!files.has(target)) return undefined;
  return `${linkTo(pageOf(target), file)}${anchor === undefined ? '' : `#${anchor}`}`;
}

/** Each page of the manual: its path, and its HTML. */
export function* manualPages(): Generator<{ path: string; html: string }> {
  const files = new Set(globSync('**/*.md', { cwd: DOCS, exclude: ['make/**'] }));
  for (const file of files) {
    const text = readFileSync(join(DOCS, file), 'utf8').replace(/^---\n[\s\S]*?\n---\n/, '');
    const anchorOf = createAnchors();
    const marked = new Marked({
      renderer: {
        heading({ depth, tokens }) {
          const heading = this.parser.parseInline(tokens);
          const id = anchorOf(this.parser.parseInline(tokens, this.parser.textRenderer));
          return `<h${depth} id="${id}">${heading}</h${depth}>\n`;
        },
        link({ href, tokens }) {
          const words = this.parser.parseInline(tokens);
          const address = addressOf(href, file, files);
          return address === undefined ? words : `<a href="${address}">${words}</a>`;
        },
      },
    });
    const [, title = 'The manual'] = /^# (.+)$/m.exec(text) ?? [];
    yield { path: pageOf(file), html: framed(title, file, marked.parse(text, { async: false })) };
  }
}

function framed(title: string, file: string, body: string): string {
  const to = (page: string) => linkTo(page, file);
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>${title} – Audio Metrics</title>
    <link rel="icon" href="${to('icon.svg')}">
    <link rel="stylesheet" href="${to('manual/manual.css')}">
  </head>
  <body>
    <nav><a href="${to('index.html')}">Audio Metrics</a> <a href="${to('manual/index.html')}">Manual</a> <a href="${to('docs/index.html')}">API reference</a></nav>
    <main>
${body}    </main>
  </body>
</html>
`;
}

function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');
}

/** @returns a function that turns headings, in order, into anchors; a repeated heading gets a number */
export function createAnchors(): (heading: string) => string {
  const seen = new Map<string, number>();
  return (heading) => {
    const anchor = anchorOf(heading);
    const before = seen.get(anchor) ?? 0;
    seen.set(anchor, before + 1);
    return before === 0 ? anchor : `${anchor}-${before}`;
  };
}
