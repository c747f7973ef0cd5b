// Keeps V8 from optimising what costs more memory than it is worth: PostgreSQL's parser takes 600 MB to optimise, and
// answers no faster for it.
//
// Relies on V8 13.6: a function that is first called while `--wasm-tier-up-filter` names another one is never optimised,
// and all instances of a module share their code. Relies on PGlite 0.5.16: its WebAssembly exports `raw_parser`.
import { readFile } from 'node:fs/promises';
import { setFlagsFromString } from 'node:v8';

/** Of WebAssembly's own interface what is used here: the types of Node.js have only `WebAssembly.Module`. */
declare const WebAssembly: {
  compile(bytes: Uint8Array): Promise<WebAssembly.Module>;
  instantiate(
    module: WebAssembly.Module,
    imports: Imports,
  ): Promise<{ exports: Readonly<Record<string, unknown>> }>;
  Module: { imports(module: WebAssembly.Module): { module: string; name: string; kind: string }[] };
  Global: new (type: { value: 'i32'; mutable: boolean }, value: number) => object;
  Memory: new (pages: { initial: number; maximum: number }) => object;
  Table: new (entries: { initial: number; element: 'anyfunc' }) => object;
  Tag: new (type: { parameters: 'i32'[] }) => object;
};
type Imports = Record<string, Record<string, object>>;

const NO_FUNCTION = 0; // an import, which is not compiled
const ANY_FUNCTION = -1;

/** Functions of WebAssembly that are first called meanwhile, by any thread, are not optimised. */
export async function unoptimised<Result>(work: () => Result | Promise<Result>): Promise<Result> {
  setFlagsFromString(`--wasm-tier-up-filter=${NO_FUNCTION}`);
  try {
    return await work();
  } finally {
    setFlagsFromString(`--wasm-tier-up-filter=${ANY_FUNCTION}`);
  }
}

/** @returns PGlite's WebAssembly, of which the parser alone is not optimised, for `pgliteWasmModule` */
export async function compilePostgres(): Promise<WebAssembly.Module> {
  const file = new URL('pglite.wasm', import.meta.resolve('@electric-sql/pglite'));
  const postgres = await WebAssembly.compile(await readFile(file));
  const { exports } = await WebAssembly.instantiate(postgres, placeholdersFor(postgres));
  const { raw_parser: parse } = exports;
  await unoptimised(() => {
    if (typeof parse !== 'function') return; // more memory, and a test that fails
    try {
      parse(0, 0);
    } catch {
      // it was called: there is no PostgreSQL around it to parse for
    }
  });
  return postgres;
}

/** What an instance needs that is never used. */
function placeholdersFor(module: WebAssembly.Module): Imports {
  const imports: Imports = {};
  for (const { module: from, name, kind } of WebAssembly.Module.imports(module)) {
    const group = imports[from] ?? {};
    group[name] = placeholder(kind, from.startsWith('GOT.') || name === '__stack_pointer');
    imports[from] = group;
  }
  return imports;
}

function placeholder(kind: string, mutable: boolean): object {
  switch (kind) {
    case 'function':
      return () => 0;
    case 'global':
      return new WebAssembly.Global({ value: 'i32', mutable }, 0);
    case 'memory':
      return new WebAssembly.Memory({ initial: 2048, maximum: 32_768 });
    case 'table':
      return new WebAssembly.Table({ initial: 20_000, element: 'anyfunc' });
    default:
      return new WebAssembly.Tag({ parameters: ['i32'] });
  }
}
