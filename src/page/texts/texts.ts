// The texts of the page in the language of the reader: the browser's, or the one chosen in the menu.
import { isLanguage, type Language, TEXTS } from '../../texts/languages.ts';
import { readStored, store } from '../state/browser-storage.ts';

const KEY = 'audio-metrics-language';
const baseOf = (locale: string) => locale.slice(0, 2);

export const language: Language =
  [readStored(KEY) ?? '', ...navigator.languages].map(baseOf).find(isLanguage) ?? 'en';

export const texts = await TEXTS[language]();

/** The locales of numbers and dates: the browser's, if it uses the language of the texts. */
export const locales = [...navigator.languages.filter((locale) => baseOf(locale) === language), language];

/** Reloads the page in another language. */
export function chooseLanguage(name: string): void {
  store(KEY, name);
  location.reload();
}
