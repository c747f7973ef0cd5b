// Finds the input files of a command: files, the files in folders, and standard input, all readable more than once.
import { BadInput, filesIn, isFolder, type RereadableFile, readableTwice } from '../commands/input-files.ts';
import type { RecorderIo } from '../recorder/recorder-io.ts';

const TABLE = /\.(csv|tsv|txt|log|dat)(\.gz)?$/i;
const ENDINGS = 'in .csv, .tsv, .txt, .log or .dat, optionally followed by .gz';

/**
 * Copies standard input and pipes, which can be read only once, to a temporary folder.
 *
 * @param copies removes the copies
 * @throws BadInput for a folder without such files
 */
export async function listTables(
  paths: readonly string[],
  io: Pick<RecorderIo, 'stdin' | 'signal'>,
  copies: AsyncDisposableStack,
): Promise<RereadableFile[]> {
  if (paths.length > 1 && paths.includes('-'))
    throw new BadInput('- (standard input) cannot be combined with files');
  const list: RereadableFile[] = [];
  for (const path of paths) {
    if (path !== '-' && (await isFolder(path))) {
      const files = await filesIn(path, TABLE, `file whose name ends ${ENDINGS}`);
      list.push(...files.map((file) => ({ path: file, name: file })));
    } else list.push(copies.use(await readableTwice(path, io)));
  }
  return list;
}
