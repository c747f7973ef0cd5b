// Text that is safe to print: control characters command a terminal, and some others reorder a line.
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/gu;

export const isPrintable = (text: string) => text.search(UNPRINTABLE) < 0;

/** Escapes what cannot be printed, as JSON does. */
export const printable = (text: string) =>
  text.replace(UNPRINTABLE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);

export const isVisible = (text: string) => /[^\s\p{Default_Ignorable_Code_Point}]/u.test(text);

/** @returns the trimmed text, '' if nothing is visible; undefined if it is too long, in characters, or not printable */
export function lineUpTo(most: number, text: string): string | undefined {
  const line = isVisible(text) ? text.trim() : '';
  return Array.from(line).length <= most && isPrintable(line) ? line : undefined;
}
