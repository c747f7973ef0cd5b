// Frames: events of a stream, as the bytes that every listener is sent.
import { writeJson } from '../points/serialise.ts';
import { idOf, type Place } from './stream-position.ts';

export interface Frame {
  readonly id: string;
  readonly bytes: Buffer;
  readonly points: number;
}

/** @param rows its points in binary, `points` of them */
export function frameOf(
  place: Place,
  rows: Buffer,
  { points, restartFrom = null, isStale }: { points: number; restartFrom?: string | null; isStale: boolean },
): Frame {
  const id = idOf(place);
  const before = `data: {"restart_from":${JSON.stringify(restartFrom)},"points":`;
  const bytes = writeJson(rows, before, `,"stale":${isStale}}\nid: ${id}\n\n`);
  return { id, bytes, points };
}
