// The title of the tab: the level or the state of the recorder, and the place.
import { useEffect } from 'react';

export function usePageTitle(state: string, place: string | null): void {
  const name = place ?? 'Audio Metrics';
  useEffect(() => {
    document.title = state === '' ? name : `${state} – ${name}`;
  }, [state, name]);
}
