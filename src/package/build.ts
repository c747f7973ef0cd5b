// Builds the client's package: its manifest, its documents, and its modules with their declarations.
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import ts from 'typescript';
import { routes } from '../operations/internals/routes.ts';
import { routerDeclaration } from './router-declaration.ts';

const root = resolve(import.meta.dirname, '../..');

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

/**
 * Avoids a second copy of the router's types, the largest part of the package. An ES module may import CommonJS types
 * under every module resolution; the reverse needs an attribute that TypeScript has only since 5.3.
 */
const SHARED_ROUTER = "export * from '../../cjs/operations/router.ts';\n";

/**
 * @param router replaces src/operations/router.ts, whose types would pull in the whole service and zod
 * @returns the modules' texts, by paths such as `esm/client/index.d.ts`
 * @throws if the client does not fit the declared router
 */
function clientModules(root: string, router: string): Map<string, string> {
  const source = join(root, 'src');
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile);
  const { options } = ts.convertCompilerOptionsFromJson(
    {
      ...config.compilerOptions,
      ...{ noEmit: false, declaration: true, rootDir: source, types: [] },
      lib: ['es2022', 'dom', 'dom.iterable', 'dom.asynciterable', 'esnext.disposable'],
      target: 'es2022',
    },
    root,
  );
  const host = ts.createCompilerHost(options);
  const { readFile } = host;
  host.readFile = (path) => (path === join(source, 'operations/router.ts') ? router : readFile(path));
  const program = ts.createProgram([join(source, 'client/index.ts')], options, host);

  const faults = ts.getPreEmitDiagnostics(program);
  if (faults.length > 0) throw new Error(ts.formatDiagnostics(faults, host));
  const modules = new Map<string, string>();
  program.emit(undefined, (path, text) => {
    if (text === 'export {};\n') return; // only types
    const name = relative(source, path);
    modules.set(`esm/${name}`, name === 'operations/router.d.ts' ? SHARED_ROUTER : text);
    modules.set(`cjs/${name}`, name.endsWith('.js') ? commonJs(text) : text);
  });
  return modules;
}

function commonJs(text: string): string {
  const compilerOptions = { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022 };
  return ts.transpileModule(text, { compilerOptions }).outputText;
}

if (import.meta.main) buildPackage(join(root, 'dist'));
