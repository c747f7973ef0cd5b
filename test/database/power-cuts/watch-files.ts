// Replaces Node's file system in a process and its workers (node --import), and records operations under WATCHED_FOLDER
// in WATCHED_LOG. Covers every function that PGlite's NODEFS calls.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { resolve } from 'node:path';
import { threadId } from 'node:worker_threads';
import { encode, type Operation } from './operations.ts';

const { WATCHED_FOLDER: folder = '', WATCHED_LOG = '' } = process.env;
const real = { ...fs };
const log = real.openSync(WATCHED_LOG, 'a'); // each record is one write, so that threads do not interleave
const handles = new Map<number, string>();
let opened = 0;

function note(operation: Operation): void {
  real.writeSync(log, encode(operation));
}

const isWatched = (path: unknown): path is string =>
  typeof path === 'string' && (resolve(path) === folder || resolve(path).startsWith(`${folder}/`));

/** Functions that are not recorded. They throw if a call would change a watched file. */
const UNUSED = ['appendFileSync', 'copyFileSync', 'cpSync', 'linkSync', 'symlinkSync', 'writevSync'] as const;
for (const name of UNUSED)
  Object.assign(fs, {
    [name](...args: unknown[]) {
      if (args.some((arg) => isWatched(arg) || (typeof arg === 'number' && handles.has(arg))))
        throw new Error(`${name} is not watched: see test/database/power-cuts/watch-files.ts`);
      return Reflect.apply(real[name], fs, args);
    },
  });

Object.assign(fs, {
  openSync(...args: Parameters<typeof fs.openSync>) {
    const [given] = args;
    const path = isWatched(given) ? resolve(given) : undefined;
    const isNew = path !== undefined && !real.existsSync(path);
    const fd = real.openSync(...args);
    handles.delete(fd);
    if (path === undefined) return fd;
    const handle = `${process.pid}.${threadId}.${++opened}`;
    handles.set(fd, handle);
    note({ do: 'open', handle, path, creates: isNew });
    if (!isNew && isEmptied(args[1])) note({ do: 'truncate', handle, size: 0 });
    return fd;
  },
  closeSync(fd: number) {
    handles.delete(fd);
    real.closeSync(fd);
  },
  writeSync(fd: number, from: ArrayBufferView, ...[offset = 0, length, at]: (number | undefined)[]) {
    const handle = handles.get(fd);
    const written = Reflect.apply(real.writeSync, fs, [fd, from, offset, length, at]);
    if (handle === undefined) return written;
    if (typeof at !== 'number') throw new Error('A write without its position is not watched');
    const bytes = Buffer.from(from.buffer, from.byteOffset + offset, written);
    note({ do: 'write', handle, at, bytes });
    return written;
  },
  writeFileSync(...args: Parameters<typeof fs.writeFileSync>) {
    const [path, data] = args;
    if (!isWatched(path)) return real.writeFileSync(...args);
    const bytes = typeof data === 'string' ? Buffer.from(data) : Buffer.from(data.buffer);
    const mode = typeof args[2] === 'object' && args[2]?.mode;
    const fd = fs.openSync(path, 'w', mode || undefined);
    if (bytes.length > 0) fs.writeSync(fd, bytes, 0, bytes.length, 0);
    fs.closeSync(fd);
  },
  // Node's truncateSync calls it
  ftruncateSync(fd: number, size = 0) {
    real.ftruncateSync(fd, size);
    const handle = handles.get(fd);
    if (handle !== undefined) note({ do: 'truncate', handle, size });
  },
  // recorded but not executed: this machine keeps its power, and real syncs take a minute per cut
  fsyncSync(fd: number) {
    const handle = handles.get(fd);
    if (handle === undefined) real.fsyncSync(fd);
    else note({ do: 'sync', handle });
  },
  mkdirSync(...args: Parameters<typeof fs.mkdirSync>) {
    const made = real.mkdirSync(...args);
    const [path] = args;
    if (isWatched(path)) note({ do: 'make folder', path: resolve(path) });
    return made;
  },
  renameSync(path: string, to: string) {
    real.renameSync(path, to);
    if (isWatched(path)) note({ do: 'rename', path: resolve(path), to: resolve(to) });
  },
  unlinkSync: removing(real.unlinkSync),
  rmdirSync: removing(real.rmdirSync),
  rmSync(path: string, options?: fs.RmOptions) {
    if (!isWatched(path)) return real.rmSync(path, options);
    const isThere = real.existsSync(path);
    const within = isThere && real.statSync(path).isDirectory() ? real.readdirSync(path) : [];
    for (const name of within) fs.rmSync(`${path}/${name}`, options);
    real.rmSync(path, options);
    if (isThere) note({ do: 'remove', path: resolve(path) });
  },
});
syncBuiltinESMExports();

function isEmptied(flags: string | number | undefined): boolean {
  return typeof flags === 'number' ? (flags & fs.constants.O_TRUNC) !== 0 : flags?.startsWith('w') === true;
}

function removing(remove: (path: string) => void) {
  return (path: string) => {
    remove(path);
    if (isWatched(path)) note({ do: 'remove', path: resolve(path) });
  };
}

/** Lets the process record what it has reported to its user. */
Object.assign(globalThis, { say: (text: string) => note({ do: 'say', text }) });
