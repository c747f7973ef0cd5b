// Moves the focus when its button leaves the page.
import { useCallback } from 'react';

/** @returns a `ref`: if its element is removed while it has the focus, the focus moves to its panel, not to the page */
export function usePassFocusOn() {
  return useCallback(
    (element: HTMLElement | null) => () => {
      const panel = element?.closest<HTMLElement>('.panel');
      if (!panel || document.activeElement !== element) return;
      panel.tabIndex = -1; // removed on blur, or every press in the panel would focus it
      panel.addEventListener('blur', () => panel.removeAttribute('tabindex'), { once: true });
      panel.focus({ preventScroll: true });
    },
    [],
  );
}
