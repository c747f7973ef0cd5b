// What moves a chart: one finger pans, two pinch, and so does the wheel with Ctrl. Up and down stays with the page.
import type { Interval } from '../state/shown-interval.ts';

export interface Gestures {
  /** What is on screen when one begins. */
  interval(): Interval;
  onMove(interval: Interval): void;
  /** The movement counts for nothing. */
  onCancel(): void;
  /** It is over. */
  onEnd(interval: Interval): void;
}

/** A finger that moves less only trembles. */
const LEAST_PX = 8;

export function listenToTouch(area: HTMLElement, told: Gestures, signal: AbortSignal): void {
  /** Where each finger is, from 0 at the left edge to 1 at the right. */
  const fingers = new Map<number, number>();
  let start: { interval: Interval; places: number[] } | undefined;
  let moved: Interval | undefined;
  const placeOf = (event: PointerEvent) => placeIn(area, event);
  const begin = () => {
    start =
      fingers.size > 0 ? { interval: moved ?? told.interval(), places: [...fingers.values()] } : undefined;
  };
  const onDown = (event: PointerEvent) => {
    if (event.pointerType !== 'touch' || fingers.size === 2) return;
    fingers.set(event.pointerId, placeOf(event));
    begin();
  };
  const onMove = (event: PointerEvent) => {
    if (!start || !fingers.has(event.pointerId)) return;
    const [first = 0] = start.places;
    fingers.set(event.pointerId, placeOf(event));
    const isTremble =
      !moved && fingers.size === 1 && Math.abs(placeOf(event) - first) * area.clientWidth < LEAST_PX;
    if (isTremble) return;
    moved = intervalUnder(start.interval, start.places, [...fingers.values()]);
    told.onMove(moved);
  };
  const onUp = (event: PointerEvent) => {
    if (!fingers.delete(event.pointerId)) return;
    begin();
    if (fingers.size > 0 || !moved) return;
    const last = moved;
    moved = undefined;
    told.onEnd(last);
  };
  /** The page is scrolled after all. */
  const onCancel = () => {
    fingers.clear();
    start = moved = undefined;
    told.onCancel();
  };
  area.addEventListener('pointerdown', onDown, { signal });
  area.addEventListener('pointermove', onMove, { signal });
  area.addEventListener('pointerup', onUp, { signal });
  area.addEventListener('pointercancel', onCancel, { signal });
}

/** From 0 at the left edge to 1 at the right. */
function placeIn(area: HTMLElement, { clientX }: MouseEvent): number {
  const { left, width } = area.getBoundingClientRect();
  return (clientX - left) / width;
}

/** How long a wheel rests before it is over. */
const REST_MS = 200;

/** With Ctrl, or Meta. A pinch on a touchpad is told as such a wheel. */
export function listenToWheel(area: HTMLElement, told: Gestures, signal: AbortSignal): void {
  let moved: Interval | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const onWheel = (event: WheelEvent) => {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault(); // the page keeps its size
    const { from, to } = moved ?? told.interval();
    const factor = 2 ** (Math.min(Math.max(event.deltaY, -100), 100) / 200);
    const time = from + placeIn(area, event) * (to - from);
    moved = { from: time - (time - from) * factor, to: time + (to - time) * factor };
    told.onMove(moved);
    clearTimeout(timer);
    timer = setTimeout(() => {
      if (moved) told.onEnd(moved);
      moved = undefined;
    }, REST_MS);
  };
  area.addEventListener('wheel', onWheel, { signal, passive: false });
  signal.addEventListener('abort', () => clearTimeout(timer));
}

/** @returns the interval in which the times under the fingers stay under them */
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
