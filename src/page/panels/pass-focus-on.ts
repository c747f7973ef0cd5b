// Where the focus goes when the button that has it leaves the page.

/** For `ref`: when the element goes while it has the focus, its panel gets it, not the start of the page. */
export function passFocusOn(element: HTMLElement | null) {
  return () => {
    if (document.activeElement === element)
      element?.closest<HTMLElement>('.panel')?.focus({ preventScroll: true });
  };
}
