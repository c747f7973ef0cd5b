// The texts of messages that a phone shows: short. The page does not load them.
import type { Language } from './languages.ts';

const en = {
  since: (time: string) => `Noise since ${time}`,
  during: (times: string) => `Noise ${times}`,
  silent: 'No sound level',
  back: 'Measuring again',
  over: 'Night over the limit',
  undecided: 'Night not decided',
  max: (level: string) => `max ${level}`,
  overFor: (level: string, length: string) => `over ${level} for ${length}`,
  soFar: (level: string) => `${level} so far`,
  levelFor: (level: string, length: string) => `${level} for ${length}`,
  limit: (db: string) => `limit ${db}`,
  silentSince: (time: string) => `no sound level since ${time}`,
  backAfter: (length: string) => `measuring again after ${length}`,
  night: 'night',
  assessed: (db: string) => `assessed ${db}`,
  notDecided: 'not decided',
  cause: (name: string, times: string) => `${name} ${times}`,
  leftOut: (count: string) => ` (${count} more not sent)`,
};

const de: typeof en = {
  since: (time) => `Lärm seit ${time}`,
  during: (times) => `Lärm ${times}`,
  silent: 'Kein Pegel',
  back: 'Misst wieder',
  over: 'Nacht über dem Grenzwert',
  undecided: 'Nacht nicht entscheidbar',
  max: (level) => `max. ${level}`,
  overFor: (level, length) => `seit ${length} über ${level}`,
  soFar: (level) => `bisher ${level}`,
  levelFor: (level, length) => `${length} lang ${level}`,
  limit: (db) => `Grenzwert ${db}`,
  silentSince: (time) => `kein Pegel seit ${time}`,
  backAfter: (length) => `misst nach ${length} wieder`,
  night: 'Nacht',
  assessed: (db) => `beurteilt ${db}`,
  notDecided: 'nicht entscheidbar',
  cause: (name, times) => `${name} ${times}`,
  leftOut: (count) => ` (${count} weitere nicht gesendet)`,
};

export const MESSAGES = { en, de } satisfies Record<Language, typeof en>;
