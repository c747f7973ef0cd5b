// Answers as plain values, for callers in this process: the transports write them as text without that.
import { tracked } from '@trpc/server';
import { LiveEvent } from '../contract/live.ts';
import type { FilePiece } from '../points/points.ts';
import type { Answer } from './answers.ts';

/** @returns what the answer is as JSON; of a file its pieces as text */
export function plain(answer: Answer): unknown {
  switch (answer.kind) {
    case 'json':
      return answer.value;
    case 'points':
      return { ...answer.value, points: answer.value.points.toJSON() };
    case 'file':
      return texts(answer.pieces);
    case 'stream':
      return plainEvents(answer);
  }
}

async function* texts(pieces: AsyncIterable<FilePiece>) {
  for await (const { bytes } of pieces) yield bytes.toString('latin1');
}

const DATA = /^data: (.*)$/m;

/** The events of a stream, as tRPC tracks them by their ids. */
export async function* plainEvents(answer: Answer) {
  if (answer.kind !== 'stream') return;
  for await (const { id, bytes } of answer.stream) {
    const [, data = ''] = DATA.exec(bytes.toString('latin1')) ?? [];
    yield tracked(id, LiveEvent.parse(JSON.parse(data)));
  }
}
