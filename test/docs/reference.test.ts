// The reference lists everything that exists, and nothing else.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { MADE_PAGES } from '../../docs/make/main.ts';
import { readConfig, VARIABLES } from '../../src/cli/config.ts';
import { blocksOf } from './markdown.ts';

/** Names in capitals that are no variables of ours: error codes, and variables of Node.js, Patroni, tests and benches. */
const OTHERS =
  /^(NODE_|PATRONI_|BAD_REQUEST|NOT_|METHOD_|PAYLOAD_|MISDIRECTED_|TOO_MANY_|SERVICE_|GATEWAY_|INTERNAL_|AUDIO_METRICS_URL|SUMMARY_)/;

const ROOT = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

/** The table rows of a page. `names` is the code in the first cell. */
function rowsOf(page: string) {
  const rows = read(`docs/reference/${page}`).match(/^\| `[^\n]+$/gm) ?? [];
  return rows.map((row) => {
    const [names = '', ...others] = row.slice(1).split(' |');
    return { names: Array.from(names.matchAll(/`([^`]+)`/g), ([, name = '']) => name), others };
  });
}

describe('The reference', () => {
  it.each(Object.entries(MADE_PAGES))('has %s as `npm run docs:reference` generates it', (page, make) => {
    expect(make()).toBe(read(page));
  });

  it('lists exactly the variables that the code reads', () => {
    const others = [
      ...['AUDIO_METRICS_COMMAND', 'PGUSER', 'PGPASSWORD', 'PGHOST', 'PGPORT', 'PGDATABASE'],
      ...['OTEL_SERVICE_NAME', 'OTEL_RESOURCE_ATTRIBUTES', 'OTEL_EXPORTER_OTLP_HEADERS'],
    ];
    const compose = Array.from(read('docker-compose.yml').matchAll(/\$\{(\w+)/g), ([, name = '']) => name);
    const all = new Set([...VARIABLES, ...others, ...compose]);
    expect(
      rowsOf('configuration.md')
        .flatMap(({ names }) => names)
        .toSorted(),
    ).toEqual([...all].toSorted());
  });

  it('lists the default of every variable with a numeric default', () => {
    const config = readConfig({});
    const rows = rowsOf('configuration.md');
    const documented = Object.entries(config).flatMap(([name, value]) => {
      const row = rows.find(({ names }) => names.includes(name));
      return typeof value === 'number' ? [[name, row?.others[0]?.trim()]] : [];
    });
    const known = Object.entries(config).flatMap(([name, value]) =>
      typeof value === 'number' ? [[name, `\`${value}\``]] : [],
    );
    expect(documented).toEqual(known);
  });

  it('lists exactly the metrics of the service, with their types and labels', () => {
    const sources = globSync('src/telemetry/*.ts', { cwd: ROOT }).map(read).join('\n');
    const made = sources.matchAll(
      /\.(gauge|counter|histogram)\(\s*'([a-z_]+)',\s*(?:'[^']*'|"[^"]*"|`[^`]*`),?([^)]*)\)/g,
    );
    const expected = Array.from(made, ([, type = '', name = '', labels = '']) => {
      const shared = name.startsWith('job_')
        ? "'procedure', 'relation'"
        : "'operation', 'transport', 'station'";
      const named = labels.replace('...labels', shared).matchAll(/'([a-z_]+)'/g);
      return [name, type, Array.from(named, ([, label]) => `\`${label}\``).join(', ')];
    });
    const documented = rowsOf('metrics.md').map(({ names: [name], others: [type = '', shown = ''] }) => [
      name,
      type.trim(),
      shown.trim(),
    ]);
    expect(documented.toSorted()).toEqual(expected.toSorted());
    expect(documented.length).toBeGreaterThan(20);
  });

  it('describes metrics in the words of their HELP texts', () => {
    const sources = globSync('src/telemetry/*.ts', { cwd: ROOT }).map(read).join('\n');
    const helps = sources.matchAll(
      /\.(?:gauge|counter|histogram)\(\s*'([a-z_]+)',\s*(?:'([^']*)'|`([^`$]*)(?:\$\{[^`]*)?`)/g,
    );
    const shown = new Map(
      rowsOf('metrics.md').map(({ names: [name], others }) => [name, others.at(2)?.trim()]),
    );
    const differing = Array.from(helps, ([, name = '', plain, start]) => ({
      name,
      help: plain ?? start ?? '',
    })).filter(({ name, help }) => !shown.get(name)?.startsWith(help));
    expect(differing).toEqual([]);
  });

  it('begins the page of operations with a table of contents, in the order of the page', () => {
    const page = read('docs/reference/operations.md');
    const listed = page.match(/(?<=^\| [A-Za-z ,:]*\| \[)[a-z.]+/gm);
    const groups = page.match(/(?<=^\| )[A-Z][a-z ,:]+(?= \| \[)/gm);
    const [contents = '', ...sections] = page.split(/^## /m);
    expect(listed).toEqual(page.match(/(?<=^### )[a-z]+\.[a-z]+$/gm));
    expect(listed?.filter((name) => !contents.includes(`[${name}](#${name.replace('.', '')})`))).toEqual([]);
    expect(groups).toEqual(
      sections.filter((section) => /^### [a-z]+\./m.test(section)).map((section) => section.split('\n')[0]),
    );
  });

  it('has every operation that the manual names', () => {
    const operations = new Set(read('docs/reference/operations.md').match(/(?<=^### )[a-z]+\.[a-z]+$/gm));
    const named = ['README.md', ...globSync('docs/**/*.md', { cwd: ROOT })].flatMap((path) =>
      blocksOf(read(path)).flatMap(({ text }) =>
        Array.from(
          text.matchAll(/`((?:audio|stats|events|export|health|service)\.[a-z]+)`/g),
          ([, name = '']) => ({
            path,
            name,
          }),
        ),
      ),
    );
    expect(named.filter(({ name }) => !operations.has(name))).toEqual([]);
    expect(operations.size).toBeGreaterThan(15);
  });

  it('lists every variable, script and option that the manual names', () => {
    const { scripts } = z
      .object({ scripts: z.record(z.string(), z.string()) })
      .parse(JSON.parse(read('package.json')));
    const [variables, options] = ['configuration.md', 'commands.md'].map((page) =>
      read(`docs/reference/${page}`),
    );
    const unknown = ['README.md', ...globSync('docs/**/*.md', { cwd: ROOT })].flatMap((path) => {
      const page = read(path);
      const named = [
        ...Array.from(page.matchAll(/\bnpm run (?:--silent )?([a-z:]+)/g), ([, name = '']) =>
          name in scripts ? [] : [name],
        ),
        ...Array.from(page.matchAll(/\bnpm run record -- .*?(--[a-z-]+)/g), ([, option = '']) =>
          options?.includes(option) ? [] : [option],
        ),
        ...Array.from(page.matchAll(/(?<=^|[\s`(])[A-Z]{2,}(?:_[A-Z]+)+(?=[=`\s])/gm), ([name]) =>
          variables?.includes(name) || OTHERS.test(name) ? [] : [name],
        ),
      ];
      return named.flat().map((name) => `${path}: ${name}`);
    });
    expect(unknown).toEqual([]);
  });

  it('lists every bench in CONTRIBUTING', () => {
    const [, benches = ''] = /benchmarks: [^=]+= \{([^}]+)\}/.exec(read('bench/main.ts')) ?? [];
    const [, section = ''] = /^## Benches\n([\s\S]*?)^## /m.exec(read('CONTRIBUTING.md')) ?? [];
    const rows = section.match(/(?<=^\| `)\w+/gm) ?? [];
    expect(rows.toSorted()).toEqual(benches.match(/\w+/g)?.toSorted());
  });
});
