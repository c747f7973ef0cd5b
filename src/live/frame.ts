// Frames: events of a stream, as the bytes that every listener is sent.
import { arrayOf } from './point-lines.ts';
import { idOf, type Place } from './stream-position.ts';

export interface Frame {
  readonly id: string;
  readonly bytes: Buffer;
  readonly points: number;
}

/** @param lines those of its points, `points` of them */
export function frameOf(
  place: Place,
  lines: Buffer,
  { points, restartFrom = null, isStale }: { points: number; restartFrom?: string | null; isStale: boolean },
): Frame {
  const id = idOf(place);
  const head = `{"restart_from":${JSON.stringify(restartFrom)},"points":`;
  const text = `data: ${head}${arrayOf(lines)},"stale":${isStale}}\nid: ${id}\n\n`;
  return { id, bytes: Buffer.from(text, 'latin1'), points };
}
