// Converts the events of audio.live to absolute levels, each event by the scale of its own points.
import { nextInstant } from '../../../contract/instant.ts';
import type { Context } from '../../context.ts';
import { absoluteScale } from '../../on-scale.ts';
import type { Frame } from './frame.ts';

/** Converted frames. Many listeners share each frame, so it is converted once. */
const absolute = new WeakMap<Frame, Promise<Frame>>();

/**
 * Yields the same frames with absolute levels. Ends at an event whose points have no scale or two scales. A listener
 * that reconnects gets the reason, and opens a new stream from the start of the new scale.
 */
export async function* absoluteFrames(ctx: Context, frames: AsyncIterable<Frame>): AsyncGenerator<Frame> {
  for await (const frame of frames) {
    const made = absolute.get(frame) ?? absoluteFrame(ctx, frame);
    absolute.set(frame, made);
    const shown = await made.catch(() => void absolute.delete(frame)); // the next listener retries
    if (!shown) return;
    yield shown;
  }
}

async function absoluteFrame(ctx: Context, { id, event }: Frame): Promise<Frame> {
  const points = event.points.toJSON();
  const [first, last] = [points[0], points.at(-1)];
  if (!first || !last) return { id, event };
  const interval = { from: first.time, to: nextInstant(last.time) ?? null };
  const { offset_db } = await absoluteScale(ctx, interval);
  return { id, event: { ...event, points: event.points.shift(offset_db) } };
}
