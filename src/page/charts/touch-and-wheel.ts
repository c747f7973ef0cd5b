// Gestures on a chart. One finger, the mouse with Shift or a sideways wheel pans; two fingers or the wheel with Ctrl
// zooms. Vertical moves scroll the page.
import type { Interval } from '../state/interval.ts';

export interface Gestures {
  /** The interval on screen when a gesture begins. */
  interval(): Interval;
  onMove(interval: Interval): void;
  onCancel(): void;
  onEnd(interval: Interval): void;
}

/** Smaller moves of a finger are ignored. */
const LEAST_PX = 8;

/** Whether a press starts a pan instead of a selection. */
export const isPan = ({ shiftKey }: MouseEvent) => shiftKey;

export function listenToPointers(area: HTMLElement, gestures: Gestures, signal: AbortSignal): void {
  /** The position of each finger, from 0 at the left edge to 1 at the right. */
  const fingers = new Map<number, number>();
  let start: { interval: Interval; positions: number[] } | undefined;
  let moved: Interval | undefined;
  const positionOf = (event: PointerEvent) => positionIn(area, event);
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
  /** The browser scrolls the page instead. */
  const onCancel = () => {
    fingers.clear();
    start = moved = undefined;
    gestures.onCancel();
  };
  area.addEventListener('pointerdown', onDown, { signal });
  area.addEventListener('pointermove', onMove, { signal });
  area.addEventListener('pointerup', onUp, { signal });
  area.addEventListener('pointercancel', onCancel, { signal });
}

/** From 0 at the left edge to 1 at the right. */
function positionIn(area: HTMLElement, { clientX }: MouseEvent): number {
  const { left, width } = area.getBoundingClientRect();
  return (clientX - left) / width;
}

/** A gesture ends after the wheel has rested for this long. */
const REST_MS = 200;

/** Zooms with Ctrl or Meta held, as browsers report a touchpad pinch. Pans if scrolled sideways or with Shift. */
export function listenToWheel(area: HTMLElement, gestures: Gestures, signal: AbortSignal): void {
  let moved: Interval | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const onWheel = (event: WheelEvent) => {
    const isZoom = event.ctrlKey || event.metaKey;
    const sideways = event.shiftKey && event.deltaX === 0 ? event.deltaY : event.deltaX;
    if (!isZoom && Math.abs(sideways) <= (event.shiftKey ? 0 : Math.abs(event.deltaY))) return;
    event.preventDefault(); // otherwise the browser would zoom the page, or go back in its history
    const interval = moved ?? gestures.interval();
    moved = isZoom
      ? zoomed(interval, positionIn(area, event), event.deltaY)
      : panned(interval, sideways / area.clientWidth);
    gestures.onMove(moved);
    clearTimeout(timer);
    timer = setTimeout(() => {
      if (moved) gestures.onEnd(moved);
      moved = undefined;
    }, REST_MS);
  };
  area.addEventListener('wheel', onWheel, { signal, passive: false });
  signal.addEventListener('abort', () => clearTimeout(timer));
}

function zoomed({ from, to }: Interval, position: number, delta: number): Interval {
  const factor = 2 ** (Math.min(Math.max(delta, -100), 100) / 200);
  const time = from + position * (to - from);
  return { from: time - (time - from) * factor, to: time + (to - time) * factor };
}

function panned({ from, to }: Interval, share: number): Interval {
  const by = share * (to - from);
  return { from: from + by, to: to + by };
}

/** @returns the interval that keeps the same times under the fingers */
export function intervalUnder(
  { from, to }: Interval,
  was: readonly number[],
  is: readonly number[],
): Interval {
  const length = to - from;
  const [first = 0, second = first] = was;
  const [newFirst = 0, newSecond = newFirst] = is;
  const apart = Math.abs(newSecond - newFirst);
  const factor = was.length > 1 && apart > 0.02 ? Math.abs(second - first) / apart : 1;
  const time = from + ((first + second) / 2) * length;
  const start = time - ((newFirst + newSecond) / 2) * length * factor;
  return { from: Math.round(start), to: Math.round(start + length * factor) };
}
