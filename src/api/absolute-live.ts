// Converts the events of audio.live to absolute levels, each event by the scale of its own points.
import { nextInstant } from '../contract/instant.ts';
import type { EventStream, Frame } from '../live/frame.ts';
import { shiftLevels } from '../points/point-text.ts';
import type { Context } from './context.ts';
import { absoluteScale } from './on-scale.ts';

/** Converted frames. Many listeners share each frame, so it is converted once. */
const absolute = new WeakMap<Frame, Promise<Frame>>();

const TIMES = /"time":"([^"]+)"/g;

/**
 * Returns the same stream with absolute levels. It ends at an event whose points have no scale or two scales. A
 * listener that reconnects gets the reason, and opens a new stream from the start of the new scale.
 */
export function absoluteStream(ctx: Context, stream: EventStream): EventStream {
  return {
    set onClosed(listener: () => void) {
      stream.onClosed = listener;
    },
    get onClosed() {
      return stream.onClosed;
    },
    close: () => stream.close(),
    async *[Symbol.asyncIterator]() {
      for await (const frame of stream) {
        const made = absolute.get(frame) ?? absoluteFrame(ctx, frame);
        absolute.set(frame, made);
        const shown = await made.catch(() => void absolute.delete(frame)); // the next listener retries
        if (!shown) return;
        yield shown;
      }
    },
  };
}

async function absoluteFrame(ctx: Context, frame: Frame): Promise<Frame> {
  if (frame.points === 0) return frame;
  const text = frame.bytes.toString('latin1');
  const times = Array.from(text.matchAll(TIMES), ([, time = '']) => time);
  const { offset_db } = await absoluteScale(ctx, {
    from: times[0] ?? null,
    to: nextInstant(times.at(-1) ?? '') ?? null,
  });
  return { ...frame, bytes: Buffer.from(shiftLevels(text, offset_db), 'latin1') };
}
