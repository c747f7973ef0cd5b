// Gives the events of audio.live absolute levels: each event has one scale, that of its own points.
import { nextInstant } from '../contract/instant.ts';
import type { EventStream, Frame } from '../live/frame.ts';
import { shiftLevels } from '../points/point-text.ts';
import type { Context } from './context.ts';
import { absoluteScale } from './on-scale.ts';

/** Frames that many listeners are sent are made once. */
const absolute = new WeakMap<Frame, Promise<Frame>>();

const TIMES = /"time":"([^"]+)"/g;

/**
 * The same stream with absolute levels. It ends at an event whose points have no scale or two. A listener that comes back
 * gets the reason, and opens a stream anew from the start of the new scale.
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
        const shown = await made.catch(() => void absolute.delete(frame)); // the next listener tries anew
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
