// Counts the noise events that start in each part of a limit.
import { clip, rangeOf } from '../../../contract/ranges.ts';
import type { Store } from '../../../rollups/store.ts';
import { type CountQuery, countEvents } from '../../events/count-events.ts';
import type { LimitedPart } from './limit-parts.ts';

export function eventsByPart(store: Store, query: CountQuery & { readonly parts: readonly LimitedPart[] }) {
  const stretches = query.parts.map((part) => rangeOf(clip(part, query.interval)));
  return countEvents(store, query, stretches);
}
