// The texts of the page in the language of the reader: the browser's, or the one chosen in the menu.
import { readStored, store } from '../state/browser-storage.ts';
import { en, type Texts } from './en.ts';

/** To add a language, add a file and a line here. A reader loads only one. */
const FILES = {
  en: async (): Promise<Texts> => en,
  de: async (): Promise<Texts> => (await import('./de.ts')).de,
};
export type Language = keyof typeof FILES;
export const LANGUAGES = { en: 'English', de: 'Deutsch' } as const satisfies Record<Language, string>;

const KEY = 'audio-metrics-language';
const isLanguage = (name: string): name is Language => Object.hasOwn(FILES, name);
const baseOf = (locale: string) => locale.slice(0, 2);

export const language: Language =
  [readStored('localStorage', KEY) ?? '', ...navigator.languages].map(baseOf).find(isLanguage) ?? 'en';

export const texts: Texts = await FILES[language]();

/** The locales of numbers and dates: the browser's, if it uses the language of the texts. */
export const locales = [...navigator.languages.filter((locale) => baseOf(locale) === language), language];

/** Reloads the page in another language. */
export function chooseLanguage(name: string): void {
  store('localStorage', KEY, name);
  location.reload();
}
