// The texts of the page's year, which loads them with its calendar.
import type { Language } from './languages.ts';

const en = {
  modes: { lden: 'Lden', nights: 'Nights' },
  show: 'What the days show',
  month: 'Month',
  partly: 'partly measured',
  change: 'Change',
  whole: 'Whole days',
  over: 'Nights over',
  mean: 'Levels are energy means of the whole days; only decided nights count.',
  running: (year: string) => `${year} has not ended: seasons are part of the change.`,
};

const de: typeof en = {
  modes: { lden: 'Lden', nights: 'Nächte' },
  show: 'Was die Tage zeigen',
  month: 'Monat',
  partly: 'teils gemessen',
  change: 'Änderung',
  whole: 'Ganze Tage',
  over: 'Nächte darüber',
  mean: 'Pegel sind Energiemittel der ganzen Tage. Gezählt sind entscheidbare Nächte.',
  running: (year) => `${year} ist nicht zu Ende: In der Änderung stecken auch die Jahreszeiten.`,
};

export const YEAR_TEXTS = { en, de } satisfies Record<Language, typeof en>;
