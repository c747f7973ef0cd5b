// The first view of a station that has not recorded for long: what it has, and no empty hours before it.
import { DEFAULT_VIEW, RANGES, timeOf, type View } from './view-in-address.ts';

/** @returns the view; in place of the default one, the shortest range that holds all points of a fresh station */
export function showFresh(view: View, oldest: string | null): View {
  const isDefault = view.preset === null && view.from === DEFAULT_VIEW.from && view.to === DEFAULT_VIEW.to;
  if (!isDefault || oldest === null) return view;
  const now = Date.now();
  const range = RANGES.find((each) => timeOf(`now-${each}`, now) <= Date.parse(oldest));
  return range === undefined || range === '7d' || range === '30d' ? view : { ...view, from: `now-${range}` };
}
