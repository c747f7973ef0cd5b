// Writes a file of points, piece by piece, as the type that its reader likes.
import { type FileType, isLinesType } from '../contract/media-types.ts';
import type { FilePiece } from './points.ts';

/** @throws what the pieces throw: the file then lacks its end */
export async function* writeFile(pieces: AsyncIterable<FilePiece>, type: FileType): AsyncGenerator<Buffer> {
  if (isLinesType(type)) {
    for await (const piece of pieces) yield piece.as(type);
    return;
  }
  const { parquetFile } = await import('./parquet/parquet-file.ts'); // not at the start: few need it
  yield* parquetFile(pieces);
}
