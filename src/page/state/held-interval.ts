// Holds an interval while a reader turns the pages of a list, so that live updates do not restart the list.
import { useState } from 'react';
import type { TimeSpan } from './time-span.ts';

/** @param key identifies the list: another key releases the interval */
export function useHeldInterval(key: string) {
  const [held, setHeld] = useState<{ key: string; interval: TimeSpan }>();
  if (held && held.key !== key) setHeld(undefined);
  return {
    held: held?.key === key ? held.interval : undefined,
    hold: (interval: TimeSpan) => setHeld({ key, interval }),
    letGo: () => setHeld(undefined),
  };
}
