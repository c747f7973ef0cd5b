// The colour theme: the system's by default, or the reader's choice.
import { readStored, store } from './browser-storage.ts';

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const KEY = 'audio-metrics-theme';
const system = matchMedia('(prefers-color-scheme: dark)');
/** Paper is light whatever the choice is. */
let isOnPaper = false;
const listeners = new Set<() => void>();

export function storedTheme(): Theme {
  const stored = readStored('localStorage', KEY);
  return THEMES.find((theme) => theme === stored) ?? 'system';
}

export function chooseTheme(theme: Theme): void {
  store('localStorage', KEY, theme);
  show(theme);
}

/** Applies the theme, and follows the system if that is the choice. */
export function startTheme(): void {
  show(storedTheme());
  system.addEventListener('change', () => show(storedTheme()));
}

function show(theme: Theme): void {
  const isDark = !isOnPaper && (theme === 'system' ? system.matches : theme === 'dark');
  document.documentElement.setAttribute('data-theme', isDark ? 'dark' : 'light');
  for (const listener of listeners) listener();
}

/** Shows the colours of paper, or again those of the screen. */
export function setOnPaper(is: boolean): void {
  isOnPaper = is;
  show(storedTheme());
}

/** Calls a listener when colours change. @returns unsubscribe */
export function onTheme(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** @returns a colour of style.css, such as `--leq` */
export function colour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}
