// Models a disk after a power cut. A file keeps its synced data, and any 512-byte pieces of later writes. Folders
// change in the order of the operations, as on journalling file systems (ext4, XFS): all changes before a sync survive,
// and some of the later ones.
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import type { Operation } from './operations.ts';

const SECTOR = 512;

interface File {
  /** The path of the file that it copies. */
  readonly base?: string;
  readonly changes: ({ at: number; bytes: Buffer } | { size: number })[];
  /** How many of the changes are synced. */
  synced: number;
}
type Folder = Map<string, File | Folder>;

export interface Cut {
  /** The number of operations before the cut. */
  readonly after: number;
  /** The probability that an unsynced piece survives. */
  readonly share: number;
  /** The share of unsynced folder changes that survives. */
  readonly names: number;
  random(): number;
}

/** Builds `target` as a cut may leave `folder`, which started as `base` and went through the operations. */
export function cutPower(
  operations: readonly Operation[],
  { base, folder, target }: { base: string; folder: string; target: string },
  { after, share, names, random }: Cut,
): void {
  const loaded = new Map<string, File>();
  const pathOf = (path: string) => relative(folder, path);
  const renamings: ((root: Folder) => (File | Folder)[])[] = [];
  const lastOf = new Map<File | Folder, number>();
  const handles = new Map<string, File | Folder>();
  const root = load(base, loaded);
  let kept = 0;

  function rename(change: (root: Folder) => (File | Folder)[]): void {
    renamings.push(change);
    for (const node of change(root)) lastOf.set(node, renamings.length);
  }

  for (const operation of operations.slice(0, after)) {
    switch (operation.do) {
      case 'open': {
        const path = pathOf(operation.path);
        const made: File = { changes: [], synced: 0 };
        if (operation.creates) rename((root) => place(root, path, made));
        handles.set(operation.handle, find(root, path));
        break;
      }
      case 'write':
        fileOf(handles.get(operation.handle)).changes.push(operation);
        break;
      case 'truncate':
        fileOf(handles.get(operation.handle)).changes.push(operation);
        break;
      case 'sync': {
        const node = handles.get(operation.handle);
        if (node === undefined) throw new Error('A file is synced that was not opened');
        if (!(node instanceof Map)) node.synced = node.changes.length;
        kept = Math.max(kept, lastOf.get(node) ?? 0);
        break;
      }
      case 'make folder':
        rename((root) => place(root, pathOf(operation.path), new Map()));
        break;
      case 'rename':
        rename((root) => {
          const node = find(root, pathOf(operation.path));
          return [...take(root, pathOf(operation.path)), ...place(root, pathOf(operation.to), node)];
        });
        break;
      case 'remove':
        rename((root) => take(root, pathOf(operation.path)));
    }
  }

  const left = load(base, loaded);
  kept += Math.round((renamings.length - kept) * names);
  for (const change of renamings.slice(0, kept)) change(left);
  write(left, target);

  function write(node: File | Folder, path: string): void {
    if (node instanceof Map) {
      mkdirSync(path, { recursive: true });
      for (const [name, child] of node) write(child, join(path, name));
    } else if (node.base !== undefined && node.changes.length === 0) copyFileSync(node.base, path);
    else writeFileSync(path, contentOf(node));
  }

  function contentOf({ base, changes, synced }: File): Buffer {
    let content = base === undefined ? Buffer.alloc(0) : readFileSync(base);
    const resize = (size: number) => {
      content = Buffer.concat([content.subarray(0, size), Buffer.alloc(Math.max(0, size - content.length))]);
    };
    for (const [n, change] of changes.entries()) {
      if ('size' in change) {
        if (n < synced || random() < share) resize(change.size);
        continue;
      }
      const { at, bytes } = change;
      for (let from = at; from < at + bytes.length; ) {
        const to =
          n < synced ? at + bytes.length : Math.min(at + bytes.length, from - (from % SECTOR) + SECTOR);
        if (n < synced || random() < share) {
          if (content.length < to) resize(to);
          bytes.copy(content, from, from - at, to - at);
        }
        from = to;
      }
    }
    return content;
  }
}

function load(path: string, loaded: Map<string, File>): Folder {
  const folder: Folder = new Map();
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    const base = join(path, entry.name);
    if (entry.isDirectory()) {
      folder.set(entry.name, load(base, loaded));
      continue;
    }
    const file: File = loaded.get(base) ?? { base, changes: [], synced: 0 };
    loaded.set(base, file);
    folder.set(entry.name, file);
  }
  return folder;
}

function find(root: Folder, path: string): File | Folder {
  let node: File | Folder | undefined = root;
  for (const name of path.split('/').filter(Boolean)) node = node instanceof Map ? node.get(name) : undefined;
  if (node === undefined) throw new Error(`There is no ${path}`);
  return node;
}

function folderOf(root: Folder, path: string): Folder {
  const node = find(root, dirname(path) === '.' ? '' : dirname(path));
  if (!(node instanceof Map)) throw new Error(`${path} is not in a folder`);
  return node;
}

/** Puts a node at a path. @returns the folder and the node that this changes */
function place(root: Folder, path: string, node: File | Folder): (File | Folder)[] {
  const folder = folderOf(root, path);
  folder.set(basename(path), node);
  return [folder, node];
}

function take(root: Folder, path: string): (File | Folder)[] {
  const folder = folderOf(root, path);
  const node = find(root, path);
  folder.delete(basename(path));
  return [folder, node];
}

function fileOf(node: File | Folder | undefined): File {
  if (node === undefined || node instanceof Map) throw new Error('This is not a file');
  return node;
}
