// Closes open popups on Escape, and where a press or the focus goes elsewhere.

const openOnes = () => document.querySelectorAll<HTMLDetailsElement>('details[name=popup][open]');

/** For every `<details name="popup">`, also those that are rendered later. */
export function startPopups(): void {
  const closeOthers = (event: Event) => {
    for (const popup of openOnes()) if (!event.composedPath().includes(popup)) popup.open = false;
  };
  addEventListener('pointerdown', closeOthers);
  addEventListener('focusin', closeOthers);
  addEventListener('keydown', ({ key }) => {
    if (key !== 'Escape') return;
    for (const popup of openOnes()) {
      popup.open = false;
      popup.querySelector('summary')?.focus();
    }
  });
}
