// The languages of the page and of messages.
import { en, type Texts } from './en.ts';

/** To add a language, add a file and a line in each of these, and its messages. Only the texts that are used are loaded. */
export const TEXTS = {
  en: async (): Promise<Texts> => en,
  de: async (): Promise<Texts> => (await import('./de.ts')).de,
};
export type Language = keyof typeof TEXTS;
export const LANGUAGES = { en: 'English', de: 'Deutsch' } as const satisfies Record<Language, string>;

export const isLanguage = (name: string): name is Language => Object.hasOwn(TEXTS, name);
