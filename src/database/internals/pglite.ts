// The undocumented APIs of PGlite and V8 that the service uses, each for a reason that a user would notice. Written
// for PGlite 0.5.16 and V8 13.6; test/database/internals.test.ts fails if one of them moves.
import { fsyncSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { setFlagsFromString } from 'node:v8';
import { PGlite } from '@electric-sql/pglite';
import { NodeFS } from '@electric-sql/pglite/nodefs';

// Makes points survive a power cut: PostgreSQL syncs its files to disk before it confirms a commit, but PGlite's `-F`
// turns fsync off. PGlite's `fdatasync` does nothing, and its `fsync` calls Emscripten's NODEFS, which has no fsync.

/** For `startParams`. */
export const SYNCING = [
  ...PGlite.defaultStartParams.filter((parameter) => parameter !== '-F'),
  '-c',
  'wal_sync_method=fsync',
];

export class SyncedFiles extends NodeFS {
  override async init(...[pglite, options]: Parameters<NodeFS['init']>) {
    const { emscriptenOpts } = await super.init(pglite, options);
    const { preRun = [] } = emscriptenOpts;
    // before PostgreSQL runs, so that recovery syncs too
    return { emscriptenOpts: { ...emscriptenOpts, preRun: [...preRun, syncNodeFs, closeToOthers] } };
  }
}

function syncNodeFs({ NODEFS }: { readonly NODEFS: unknown }): void {
  if (!hasStreams(NODEFS) || 'fsync' in NODEFS.stream_ops)
    throw new Error('PGlite has moved NODEFS.stream_ops: see src/database/internals/pglite.ts');
  NODEFS.stream_ops.fsync = ({ nfd }) => {
    try {
      fsyncSync(nfd);
      return 0;
    } catch {
      return EIO; // PostgreSQL then stops, and recovers at the next start
    }
  };
}

// Keeps other users out of the files, whatever the umask: Emscripten sets each new file's mode to 0666.

function closeToOthers({ NODEFS }: { readonly NODEFS: unknown }): void {
  if (!hasNodes(NODEFS))
    throw new Error('PGlite has moved NODEFS.node_ops: see src/database/internals/pglite.ts');
  const { mknod, setattr } = NODEFS.node_ops;
  NODEFS.node_ops.mknod = (parent, name, mode, device) => mknod(parent, name, mode & ~OTHERS, device);
  NODEFS.node_ops.setattr = (node, change) =>
    setattr(node, change.mode == null ? change : { ...change, mode: change.mode & ~OTHERS });
}

const OTHERS = 0o077;

interface Nodes {
  mknod(parent: object, name: string, mode: number, device: number): object;
  setattr(node: object, change: { readonly mode?: number | null }): void;
}

const hasNodes = (files: unknown): files is { readonly node_ops: Nodes } =>
  typeof files === 'object' && files !== null && 'node_ops' in files && typeof files.node_ops === 'object';

/** WASI's error number. */
const EIO = 29;

interface Streams {
  /** @param stream an open file; `nfd` is its number in Node.js. @returns 0 or an error number */
  fsync?(stream: { readonly nfd: number }): number;
}

const hasStreams = (files: unknown): files is { readonly stream_ops: Streams } =>
  typeof files === 'object' &&
  files !== null &&
  'stream_ops' in files &&
  typeof files.stream_ops === 'object';

// Makes a query that aborts WebAssembly fail, instead of returning an empty result. `Module._PostgresMainLoopOnce` runs
// a statement, and throws an error of status 100 if PostgreSQL itself refused the statement.

const REFUSED = 100;

/** @param onFault called before the statement is answered; later answers of this session are wrong */
export function watchFaults({ Module }: PGlite, onFault: (fault: unknown) => void): void {
  const run = Module._PostgresMainLoopOnce;
  Module._PostgresMainLoopOnce = () => {
    try {
      run();
    } catch (error) {
      const isRefused =
        typeof error === 'object' && error !== null && 'status' in error && error.status === REFUSED;
      if (!isRefused) onFault(error);
      throw error;
    }
  };
}

// Lowers the memory of the first start from 1.1 to 0.4 GB: optimising PostgreSQL's parser takes 600 MB and speeds up
// no answer. V8 never optimises a function first called while `--wasm-tier-up-filter` names another function, and all
// instances of a module share their code. PGlite's WebAssembly exports `raw_parser`.

/** The part of the WebAssembly interface used here: the types of Node.js have only `WebAssembly.Module`. */
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

/** V8 does not optimise WebAssembly functions that any thread first calls during `work`. */
export async function unoptimised<Result>(work: () => Result | Promise<Result>): Promise<Result> {
  setFlagsFromString(`--wasm-tier-up-filter=${NO_FUNCTION}`);
  try {
    return await work();
  } finally {
    setFlagsFromString(`--wasm-tier-up-filter=${ANY_FUNCTION}`);
  }
}

/** @returns PGlite's WebAssembly with only the parser unoptimised, for `pgliteWasmModule` */
export async function compilePostgres(): Promise<WebAssembly.Module> {
  const file = new URL('pglite.wasm', import.meta.resolve('@electric-sql/pglite'));
  const postgres = await WebAssembly.compile(await readFile(file));
  const { exports } = await WebAssembly.instantiate(postgres, placeholdersFor(postgres));
  const { raw_parser: parse } = exports;
  await unoptimised(() => {
    if (typeof parse !== 'function') return; // costs memory, and fails a test
    try {
      parse(0, 0);
    } catch {
      // expected, because no PostgreSQL runs around the parser; the call is enough
    }
  });
  return postgres;
}

/** The imports that an instance needs but never uses. */
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
