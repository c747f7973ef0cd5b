// Gestures on a chart. One finger, or the mouse with Shift, pans; two fingers zoom. Vertical moves scroll the page.
import type { TimeSpan } from '../state/calendar-intervals.ts';

interface Gestures {
  /** The interval on screen when a gesture begins. */
  interval(): TimeSpan;
  onMove(interval: TimeSpan): void;
  /** Without an interval if the browser scrolls the page instead. */
  onEnd(interval?: TimeSpan): void;
}

const LEAST_PX = 8;

/** Whether a press starts a pan instead of a selection. */
export const isPan = ({ shiftKey }: MouseEvent) => shiftKey;

export function listenToPointers(area: HTMLElement, gestures: Gestures, signal: AbortSignal): void {
  const fingers = new Map<number, number>();
  let start: { interval: TimeSpan; positions: number[] } | undefined;
  let moved: TimeSpan | undefined;
  /** From 0 at the left edge to 1 at the right. */
  const positionOf = ({ clientX }: PointerEvent) => {
    const { left, width } = area.getBoundingClientRect();
    return (clientX - left) / width;
  };
  const begin = () => {
    start =
      fingers.size > 0
        ? { interval: moved ?? gestures.interval(), positions: [...fingers.values()] }
        : undefined;
  };
  const onDown = (event: PointerEvent) => {
    const pans = event.pointerType === 'touch' || (event.button === 0 && isPan(event));
    if (!pans || fingers.size === 2) return;
    fingers.set(event.pointerId, positionOf(event));
    begin();
  };
  const onMove = (event: PointerEvent) => {
    if (!start || !fingers.has(event.pointerId)) return;
    const [first = 0] = start.positions;
    fingers.set(event.pointerId, positionOf(event));
    const isTremble =
      !moved && fingers.size === 1 && Math.abs(positionOf(event) - first) * area.clientWidth < LEAST_PX;
    if (isTremble) return;
    moved = intervalUnder(start.interval, start.positions, [...fingers.values()]);
    gestures.onMove(moved);
  };
  const onUp = (event: PointerEvent) => {
    if (!fingers.delete(event.pointerId)) return;
    begin();
    if (fingers.size > 0 || !moved) return;
    const last = moved;
    moved = undefined;
    gestures.onEnd(last);
  };
  const onCancel = () => {
    fingers.clear();
    start = moved = undefined;
    gestures.onEnd();
  };
  area.addEventListener('pointerdown', onDown, { signal });
  area.addEventListener('pointermove', onMove, { signal });
  area.addEventListener('pointerup', onUp, { signal });
  area.addEventListener('pointercancel', onCancel, { signal });
}

/** @returns the interval that keeps the same times under the fingers */
export function intervalUnder(
  { from, to }: TimeSpan,
  was: readonly number[],
  is: readonly number[],
): TimeSpan {
  const length = to - from;
  const [first = 0, second = first] = was;
  const [newFirst = 0, newSecond = newFirst] = is;
  const apart = Math.abs(newSecond - newFirst);
  const factor = was.length > 1 && apart > 0.02 ? Math.abs(second - first) / apart : 1;
  const time = from + ((first + second) / 2) * length;
  const start = time - ((newFirst + newSecond) / 2) * length * factor;
  return { from: Math.round(start), to: Math.round(start + length * factor) };
}
