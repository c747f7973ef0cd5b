// Fingers on the chart: one pans, two pinch. Up and down stays with the page.
import type { Interval } from './interval.ts';

export interface TouchEvents {
  /** What is on screen when fingers come down. */
  interval(): Interval;
  onMove(interval: Interval): void;
  /** The movement counts for nothing. */
  onCancel(): void;
  /** The fingers are gone. */
  onEnd(interval: Interval): void;
}

/** A finger that moves less only trembles. */
const LEAST_PX = 8;

/** @returns what ends it */
export function listenToTouch(area: HTMLElement, told: TouchEvents): () => void {
  /** Where each finger is, from 0 at the left edge to 1 at the right. */
  const fingers = new Map<number, number>();
  let start: { interval: Interval; places: number[] } | undefined;
  let moved: Interval | undefined;
  const placeOf = ({ clientX }: PointerEvent) => {
    const { left, width } = area.getBoundingClientRect();
    return (clientX - left) / width;
  };
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
    moved = follow(start.interval, start.places, [...fingers.values()]);
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
  const listeners = {
    pointerdown: onDown,
    pointermove: onMove,
    pointerup: onUp,
    pointercancel: onCancel,
  } as const;
  for (const [type, listener] of Object.entries(listeners))
    area.addEventListener(type, listener as EventListener);
  return () => {
    for (const [type, listener] of Object.entries(listeners))
      area.removeEventListener(type, listener as EventListener);
  };
}

/** @returns the interval in which the times under the fingers stay under them */
export function follow({ from, to }: Interval, was: readonly number[], is: readonly number[]): Interval {
  const length = to - from;
  const [first = 0, second = first] = was;
  const [newFirst = 0, newSecond = newFirst] = is;
  const apart = Math.abs(newSecond - newFirst);
  const factor = was.length > 1 && apart > 0.02 ? Math.abs(second - first) / apart : 1;
  const time = from + ((first + second) / 2) * length;
  const start = time - ((newFirst + newSecond) / 2) * length * factor;
  return { from: Math.round(start), to: Math.round(start + length * factor) };
}
