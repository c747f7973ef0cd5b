// The focus of the keyboard: one stop of the Tab key for many buttons, and a place to go when a button leaves the page.
import { type FocusEvent, type KeyboardEvent, type RefObject, useCallback, useEffect, useRef } from 'react';

/**
 * Arrows, Home and End move among the buttons.
 *
 * @param selector selects the buttons
 */
export function useOneTabStop<Element extends HTMLElement>(selector: string) {
  const ref: RefObject<Element | null> = useRef<Element>(null);
  const all = () =>
    Array.from(ref.current?.querySelectorAll<HTMLElement>(selector) ?? []).filter((each) =>
      each.checkVisibility(),
    );
  const stopAt = (stop: HTMLElement | undefined) => {
    for (const each of all()) each.tabIndex = each === stop ? 0 : -1;
  };
  // after each render: rows come and go
  useEffect(() => {
    const buttons = all();
    if (buttons.filter(({ tabIndex }) => tabIndex === 0).length !== 1) stopAt(buttons[0]);
  });
  return {
    ref,
    onFocus({ target }: FocusEvent<Element>) {
      const focused = all().find((each) => each === target);
      if (focused) stopAt(focused);
    },
    onKeyDown(event: KeyboardEvent<Element>) {
      const buttons = all();
      const index = buttons.findIndex((each) => each.contains(document.activeElement));
      if (index < 0 || event.ctrlKey || event.altKey || event.metaKey) return;
      const leftOf = (each: HTMLElement | undefined) => each?.getBoundingClientRect().left;
      const isBelow = (each: HTMLElement) => leftOf(each) === leftOf(buttons[index]);
      const above = buttons.slice(0, index).findLastIndex(isBelow);
      const below = buttons.findIndex((each, at) => at > index && isBelow(each));
      const indexes: Readonly<Record<string, number>> = {
        ArrowUp: above < 0 ? index - 1 : above,
        ArrowDown: below < 0 ? index + 1 : below,
        ArrowLeft: index - 1,
        ArrowRight: index + 1,
        Home: 0,
        End: buttons.length - 1,
      };
      const next = buttons[indexes[event.key] ?? -1];
      if (!next) return;
      event.preventDefault();
      stopAt(next);
      next.focus();
    },
  };
}

/**
 * @returns a `ref`: if its element is removed while it has the focus, the focus moves to its panel, not to the page. Each
 * element needs its own, on which Preact keeps the cleanup
 */
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
