// Builds the client's package: its manifest, its documents, and its modules with their declarations.
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { routes } from '../operations/internals/routes.ts';
import { clientModules } from './client-modules.ts';
import { routerDeclaration } from './router-declaration.ts';

const root = resolve(import.meta.dirname, '../..');

/** Replaces `folder` with the package, ready for `npm pack`. */
export function buildPackage(folder: string): void {
  function write(path: string, text: string) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }

  rmSync(folder, { recursive: true, force: true });
  write('package.json', `${JSON.stringify(manifest(), null, 2)}\n`);
  write('cjs/package.json', '{ "type": "commonjs" }\n');
  for (const [path, text] of clientModules(root, routerDeclaration(routes.values()))) write(path, text);
  copyFileSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
  copyFileSync(join(root, 'src/client/README.md'), join(folder, 'README.md'));
}

function manifest() {
  const { name, version, description, keywords, license, type, dependencies } = JSON.parse(
    readFileSync(join(root, 'package.json'), 'utf8'),
  );
  const entry = (format: 'esm' | 'cjs') => ({
    types: `./${format}/client/index.d.ts`,
    default: `./${format}/client/index.js`,
  });
  return {
    name,
    version,
    description: `The typed client of Audio Metrics. ${description}`,
    keywords,
    license,
    type,
    exports: { '.': { import: entry('esm'), require: entry('cjs') }, './package.json': './package.json' },
    // for tools that do not read `exports`
    main: entry('cjs').default,
    types: entry('cjs').types,
    engines: { node: '>=18' },
    sideEffects: false,
    // peers: a frontend has its own copies, and types match only one version
    peerDependencies: { '@trpc/client': '^11', '@trpc/server': '^11' },
    dependencies: { 'eventsource-parser': dependencies['eventsource-parser'] },
  };
}

if (import.meta.main) buildPackage(join(root, 'dist'));
