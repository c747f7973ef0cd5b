// What is folded out folds back with Escape, or with a press elsewhere.

const openOnes = () => document.querySelectorAll<HTMLDetailsElement>('details[name=popup][open]');

/** Holds for every `<details name="popup">`, also for those that come later. */
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
