// The first view of a station that started recently: shows its points without empty hours before them.
import { DEFAULT_VIEW, RANGES, timeOf, type View } from './view-in-address.ts';

/** @returns the view. For a fresh station, the shortest range with all its points replaces the default */
export function showFresh(view: View, oldest: string | null): View {
  const isDefault = view.preset === null && view.from === DEFAULT_VIEW.from && view.to === DEFAULT_VIEW.to;
  if (!isDefault || oldest === null) return view;
  const now = Date.now();
  const range = RANGES.find((each) => timeOf(`now-${each}`, now) <= Date.parse(oldest));
  return range === undefined || range === '7d' || range === '30d' ? view : { ...view, from: `now-${range}` };
}
