// What each figure means: one sentence, and the name of its formula or standard.

export const MEANINGS = {
  leq: {
    name: 'Leq',
    text: 'The steady level that carries the same sound energy as all that was measured: 10·log10 of the mean energy (equivalent continuous level, ISO 1996-1).',
  },
  l10: {
    name: 'L10',
    text: 'The level exceeded 10 % of the time: the loud moments (percentile level, ISO 1996-1).',
  },
  l50: {
    name: 'L50',
    text: 'The level exceeded half of the time: the median (percentile level, ISO 1996-1).',
  },
  l90: {
    name: 'L90',
    text: 'The level exceeded 90 % of the time: the background (percentile level, ISO 1996-1).',
  },
  max: {
    name: 'the maximum',
    text: 'The highest level of a single window of the recorder. It is LAFmax only where the recorder weighs by A and fast.',
  },
  silence: { name: 'silence', text: 'The share of the windows in which the recorder heard no sound.' },
  dominant: {
    name: 'the dominant frequency',
    text: 'The frequency that was strongest in most windows; of equals the lowest.',
  },
  points: { name: 'points', text: 'How many windows of the recorder the interval holds.' },
  measured: {
    name: 'measured',
    text: 'The share of the interval, up to now, that lies in no gap.',
  },
  lden: {
    name: 'Lden',
    text: 'Day, evening and night as one level: evening counts 5 dB more, night 10 dB (Directive 2002/49/EC, Annex I). It is meant as the average of a year.',
  },
  event: {
    name: 'a noise event',
    text: 'A run of windows above the threshold. Lmax is the highest window of it, SEL the level that has all of its energy in one second (ISO 1996-1).',
  },
  limits: {
    name: 'limits',
    text: 'Leq of each period is compared with its limit; minutes over are those whose own Leq is above it.',
  },
} as const;
