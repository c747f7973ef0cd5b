// Makes PGlite durable: what PostgreSQL syncs reaches the disk before a commit is answered.
//
// Relies on PGlite 0.5.16: it starts PostgreSQL with `-F`, which turns fsync off; its `fdatasync` does nothing; and its
// `fsync` calls `fsync` of Emscripten's NODEFS, which NODEFS lacks.
import { fsyncSync } from 'node:fs';
import { PGlite } from '@electric-sql/pglite';
import { NodeFS } from '@electric-sql/pglite/nodefs';

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
    // before PostgreSQL runs, so that recovery is synced too
    return { emscriptenOpts: { ...emscriptenOpts, preRun: [...preRun, syncNodeFs] } };
  }
}

function syncNodeFs({ NODEFS }: { readonly NODEFS: unknown }): void {
  if (!hasStreams(NODEFS) || 'fsync' in NODEFS.stream_ops)
    throw new Error('PGlite has moved NODEFS.stream_ops: see src/db/internals/synced-files.ts');
  NODEFS.stream_ops.fsync = ({ nfd }) => {
    try {
      fsyncSync(nfd);
      return 0;
    } catch {
      return EIO; // PostgreSQL then stops, and recovers at the next start
    }
  };
}

/** As WASI numbers errors. */
const EIO = 29;

interface Streams {
  /** @param stream an open file; `nfd` is its number in Node.js. @returns 0, or the number of an error */
  fsync?(stream: { readonly nfd: number }): number;
}

function hasStreams(files: unknown): files is { readonly stream_ops: Streams } {
  return (
    typeof files === 'object' &&
    files !== null &&
    'stream_ops' in files &&
    typeof files.stream_ops === 'object'
  );
}
