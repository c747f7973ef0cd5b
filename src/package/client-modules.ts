// Compiles the client as ES modules and as CommonJS, each with matching declarations.
import { join, relative } from 'node:path';
import ts from 'typescript';

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
export function clientModules(root: string, router: string): Map<string, string> {
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
