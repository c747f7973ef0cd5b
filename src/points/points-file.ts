// A file of points as it is made: its pieces, or its text for callers that take CSV.
import type { FilePiece } from './points.ts';

export class PointsFile implements AsyncIterable<string> {
  /** Without its ending. */
  readonly name: string;
  readonly pieces: AsyncIterable<FilePiece>;

  constructor(name: string, pieces: AsyncIterable<FilePiece>) {
    this.name = name;
    this.pieces = pieces;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<string, void> {
    for await (const { bytes } of this.pieces) yield bytes.toString('latin1');
  }
}
