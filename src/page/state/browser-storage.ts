// What the browser keeps for the page; nothing where it keeps nothing.

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
    // it holds for as long as the page is open
  }
}
