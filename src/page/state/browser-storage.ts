// Reads and writes the browser's storage, which may be disabled.

type Place = 'localStorage' | 'sessionStorage';

export function readStored(place: Place, key: string): string | undefined {
  try {
    return globalThis[place].getItem(key) ?? undefined;
  } catch {
    return undefined;
  }
}

export function store(place: Place, key: string, value: string): void {
  try {
    globalThis[place].setItem(key, value);
  } catch {
    // the setting lasts until the page is closed
  }
}
