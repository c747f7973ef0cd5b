// Where the focus goes when the button that has it leaves the page.
import { useCallback } from 'react';

/** @returns a `ref`: when its element goes while it has the focus, its panel gets it, not the start of the page */
export function usePassFocusOn() {
  return useCallback(
    (element: HTMLElement | null) => () => {
      const panel = element?.closest<HTMLElement>('.panel');
      if (!panel || document.activeElement !== element) return;
      panel.tabIndex = -1; // not for ever: it would take the focus of each press in it
      panel.addEventListener('blur', () => panel.removeAttribute('tabindex'), { once: true });
      panel.focus({ preventScroll: true });
    },
    [],
  );
}
