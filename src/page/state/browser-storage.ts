// Reads and writes the browser's storage, which may be disabled.

type StorageName = 'localStorage' | 'sessionStorage';

export function readStored(storage: StorageName, key: string): string | undefined {
  try {
    return globalThis[storage].getItem(key) ?? undefined;
  } catch {
    return undefined;
  }
}

export function store(storage: StorageName, key: string, value: string): void {
  try {
    globalThis[storage].setItem(key, value);
  } catch {
    // the setting lasts until the page is closed
  }
}
