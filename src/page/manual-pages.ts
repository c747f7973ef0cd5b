// The manual as pages of the service: each file of `docs/` at its path under /manual.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path/posix';
import { Marked } from 'marked';
import { createAnchors } from './heading-anchors.ts';

const DOCS = join(import.meta.dirname, '../../docs');

const pageOf = (file: string) =>
  `manual/${file.replace(/README\.md$/, 'index.md').replace(/\.md$/, '.html')}`;

/** @returns where a link of a file of the manual leads; undefined where that is no page of it */
function addressOf(href: string, file: string, files: ReadonlySet<string>): string | undefined {
  if (/^(https?:|#)/.test(href)) return href;
  const [path = '', anchor] = href.split('#');
  const target = join(file, '..', path);
  if (!files.has(target)) return undefined;
  return `/${pageOf(target).replace(/\/index\.html$/, '')}${anchor === undefined ? '' : `#${anchor}`}`;
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
    yield { path: pageOf(file), html: framed(title, marked.parse(text, { async: false })) };
  }
}

function framed(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>${title} – Audio Metrics</title>
    <link rel="icon" href="/icon.svg">
    <link rel="stylesheet" href="/manual/manual.css">
  </head>
  <body>
    <nav><a href="/">Audio Metrics</a> <a href="/manual">Manual</a> <a href="/docs">API reference</a></nav>
    <main>
${body}    </main>
  </body>
</html>
`;
}
