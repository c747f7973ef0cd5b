// Closes open popups on Escape, and on a press outside of them.

const openOnes = () => document.querySelectorAll<HTMLDetailsElement>('details[name=popup][open]');

/** For every `<details name="popup">`, also those that are rendered later. */
export function startPopups(): void {
  addEventListener('pointerdown', (event) => {
    for (const popup of openOnes()) if (!event.composedPath().includes(popup)) popup.open = false;
  });
  addEventListener('keydown', ({ key }) => {
    if (key !== 'Escape') return;
    for (const popup of openOnes()) {
      popup.open = false;
      popup.querySelector('summary')?.focus();
    }
  });
}
