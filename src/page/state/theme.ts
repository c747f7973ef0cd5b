// The colour theme: the system's by default, or the reader's choice. style.css has both colours of each name.
import { readStored, store } from './browser-storage.ts';

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

/** The event of the window when colours have changed. */
export const THEME_CHANGED = 'themechange';

const KEY = 'audio-metrics-theme';
const SCHEMES: Readonly<Record<Theme, string>> = { system: 'light dark', light: 'light', dark: 'dark' };
let isOnPaper = false;

export function storedTheme(): Theme {
  const stored = readStored(KEY);
  return THEMES.find((theme) => theme === stored) ?? 'system';
}

export function chooseTheme(theme: Theme): void {
  store(KEY, theme);
  show(theme);
}

/** Applies the theme, and draws again when the system changes its own. */
export function startTheme(): void {
  show(storedTheme());
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => show(storedTheme()));
}

function show(theme: Theme): void {
  document.documentElement.style.colorScheme = isOnPaper ? 'light' : SCHEMES[theme];
  colours.clear();
  dispatchEvent(new Event(THEME_CHANGED));
}

/** Switches to the colours of paper, which are light, or back to those of the screen. */
export function setOnPaper(is: boolean): void {
  isOnPaper = is;
  show(storedTheme());
}

const probe = document.createElement('i');
const colours = new Map<string, string>();

/** @returns a colour of style.css, such as `--leq`, in the current theme */
export function colour(name: string): string {
  const known = colours.get(name);
  if (known !== undefined) return known;
  if (!probe.isConnected) document.body.append(probe);
  probe.style.color = `var(${name})`;
  const { color } = getComputedStyle(probe);
  colours.set(name, color);
  return color;
}
