// Messages for people, word by word in both languages, and their links.
import { describe, expect, it } from 'vitest';
import { EXAMPLE_MESSAGES } from '../../src/contract/messages.ts';
import { EXAMPLE_SCALE } from '../../src/contract/periods.ts';
import { linkTo } from '../../src/notify/page-link.ts';
import { createSentences, type Facts, type SentenceContext } from '../../src/notify/sentences.ts';

const [english, german] = await Promise.all([createSentences('en'), createSentences('de')]);

/** 03:34 of 2 January 2026, an hour and 20 minutes after the silence of the example. */
const SITE: SentenceContext = {
  name: 'Garden',
  timeZone: 'Europe/Vienna',
  limit_db: 45,
  now: Date.parse('2026-01-02T02:34:07.300Z'),
};

const { start, end, silent, back, night } = EXAMPLE_MESSAGES;
const ABSOLUTE = { ...EXAMPLE_SCALE, levels: 'absolute', reference_db: 0 };
const FULL_SCALE = { ...EXAMPLE_SCALE, unit: 'dBFS', reference_db: 0, weighting: null };
const UNDECIDED = { ...night, state: 'undecided', worst: null };

type Case = [string, object, Partial<SentenceContext>, string, string];
const CASES: Case[] = [
  [
    'start',
    start,
    {},
    'Garden: over 55 dB(A) for 10 s, 61 dB(A) so far, limit 45 (3 more not sent)',
    'Garden: seit 10 s über 55 dB(A), bisher 61 dB(A), Grenzwert 45 (3 weitere nicht gesendet)',
  ],
  [
    'start of maxima, over the background',
    { ...start, leq_db: null, threshold: -40.7, left_out: 0 },
    { limit_db: null },
    'Garden: over 54.3 dB(A) for 10 s, max 63 dB(A) so far',
    'Garden: seit 10 s über 54,3 dB(A), bisher max. 63 dB(A)',
  ],
  [
    'end',
    end,
    {},
    'Garden: 58 dB(A) for 4 min, limit 45, 315 Hz',
    'Garden: 4 min lang 58 dB(A), Grenzwert 45, 315 Hz',
  ],
  [
    'end of maxima',
    { ...end, leq_db: null },
    { limit_db: 45.5 },
    'Garden: max 64 dB(A) for 4 min, limit 45.5, 315 Hz',
    'Garden: 4 min lang max. 64 dB(A), Grenzwert 45,5, 315 Hz',
  ],
  [
    'end without limit and frequency',
    { ...end, dominant_frequency_hz: null, duration_seconds: 3.2 },
    { limit_db: null },
    'Garden: 58 dB(A) for 3.2 s',
    'Garden: 3,2 s lang 58 dB(A)',
  ],
  [
    'end of sound pressure levels, in the highest band',
    { ...end, leq_db: 57.8, scale: ABSOLUTE, dominant_frequency_hz: 8000, duration_seconds: 3725 },
    {},
    'Garden: 58 dB(A) for 1 h 2 min, limit 45, 8,000 Hz',
    'Garden: 1 h 2 min lang 58 dB(A), Grenzwert 45, 8.000 Hz',
  ],
  [
    'end relative to full scale, which compares with no limit',
    { ...end, scale: FULL_SCALE, dominant_frequency_hz: 100 },
    {},
    'Garden: −37 dBFS for 4 min, 100 Hz',
    'Garden: 4 min lang −37 dBFS, 100 Hz',
  ],
  ['silent', silent, {}, 'Garden: no sound level since 02:14', 'Garden: kein Pegel seit 02:14'],
  [
    'silent since the previous day in that zone',
    silent,
    { now: Date.parse('2026-01-02T23:00:00Z') },
    'Garden: no sound level since Jan 2, 02:14',
    'Garden: kein Pegel seit 2. Jan., 02:14',
  ],
  ['back', back, {}, 'Garden: measuring again after 1 h 20 min', 'Garden: misst nach 1 h 20 min wieder'],
  [
    'night over its limit',
    night,
    {},
    'Garden: night 48.2 dB(A), limit 45; worst 03:10–03:40, 315 Hz',
    'Garden: Nacht 48,2 dB(A), Grenzwert 45; prägend 03:10–03:40, 315 Hz',
  ],
  [
    'night whose worst stretch was before midnight',
    { ...night, worst: worst('2026-01-01T22:30:00.000000Z', '2026-01-01T23:15:00.000000Z', null) },
    {},
    'Garden: night 48.2 dB(A), limit 45; worst 23:30–00:15',
    'Garden: Nacht 48,2 dB(A), Grenzwert 45; prägend 23:30–00:15',
  ],
  [
    'night that is not the last',
    night,
    { now: Date.parse('2026-01-04T06:00:00Z') },
    'Garden: night 48.2 dB(A), limit 45; worst Jan 2, 03:10–03:40, 315 Hz',
    'Garden: Nacht 48,2 dB(A), Grenzwert 45; prägend 2. Jan., 03:10–03:40, 315 Hz',
  ],
  [
    'night assessed by its loudest hour',
    { ...night, leq_db: -51.9, worst: null },
    {},
    'Garden: night 43.1 dB(A), assessed 48.2, limit 45',
    'Garden: Nacht 43,1 dB(A), beurteilt 48,2, Grenzwert 45',
  ],
  [
    "night on the scale of the station's calibration",
    { ...night, scale: FULL_SCALE, worst: null },
    {},
    'Garden: night 48.2 dB, limit 45',
    'Garden: Nacht 48,2 dB, Grenzwert 45',
  ],
  [
    'night with too little measured',
    { ...UNDECIDED, measured_percent: 62.9 },
    {},
    'Garden: night 48.2 dB(A), limit 45, not decided: only 62 % measured',
    'Garden: Nacht 48,2 dB(A), Grenzwert 45, nicht entscheidbar: nur 62 % gemessen',
  ],
  [
    'night that was not measured',
    { ...UNDECIDED, measured_percent: 0, leq_db: null, assessed_db: null },
    {},
    'Garden: night, not decided: only 0 % measured',
    'Garden: Nacht, nicht entscheidbar: nur 0 % gemessen',
  ],
  [
    'night within the uncertainty',
    {
      ...UNDECIDED,
      leq_db: -51.5,
      assessed_db: 43.5,
      measured_percent: 85,
      uncertainty_db: 1.5,
      min_measured_percent: 80,
    },
    {},
    'Garden: night 43.5 dB(A), limit 45, not decided: within ± 1.5 dB',
    'Garden: Nacht 43,5 dB(A), Grenzwert 45, nicht entscheidbar: innerhalb von ± 1,5 dB',
  ],
  [
    'night not decided for another reason',
    UNDECIDED,
    {},
    'Garden: night 48.2 dB(A), limit 45, not decided',
    'Garden: Nacht 48,2 dB(A), Grenzwert 45, nicht entscheidbar',
  ],
];

function worst(from: string, to: string, band_hz: number | null) {
  return { from, to, leq_db: -35.6, background_db: -49.2, energy_percent: 78.8, band_hz };
}

describe('sentences', () => {
  it.each(CASES)('have the text of: %s', (_, facts, site, inEnglish, inGerman) => {
    const at = { ...SITE, ...site };
    expect(english.wordsOf(facts as Facts, at).text).toBe(inEnglish);
    expect(german.wordsOf(facts as Facts, at).text).toBe(inGerman);
  });

  it.each<[object, Partial<SentenceContext>, string, string]>([
    [start, {}, 'Noise since 02:10', 'Lärm seit 02:10'],
    [end, {}, 'Noise 02:10–02:14', 'Lärm 02:10–02:14'],
    [{ ...end, end: '2026-01-02T01:10:40.000000Z' }, {}, 'Noise 02:10', 'Lärm 02:10'],
    [
      end,
      { now: Date.parse('2026-01-03T06:00:00Z') },
      'Noise Jan 2, 02:10–02:14',
      'Lärm 2. Jan., 02:10–02:14',
    ],
    [end, { timeZone: 'America/New_York' }, 'Noise 20:10–20:14', 'Lärm 20:10–20:14'],
    [silent, {}, 'No sound level', 'Kein Pegel'],
    [back, {}, 'Measuring again', 'Misst wieder'],
    [night, {}, 'Night over the limit', 'Nacht über dem Grenzwert'],
    [UNDECIDED, {}, 'Night not decided', 'Nacht nicht entscheidbar'],
  ])('give %o its title', (facts, site, inEnglish, inGerman) => {
    const at = { ...SITE, ...site };
    expect(english.wordsOf(facts as Facts, at).title).toBe(inEnglish);
    expect(german.wordsOf(facts as Facts, at).title).toBe(inGerman);
  });

  it.each(Object.values(EXAMPLE_MESSAGES))('are those in the example of $kind', (message) => {
    expect(english.wordsOf(message, SITE).title).toBe(message.title);
    expect(english.wordsOf(message, SITE).text).toBe(message.text);
  });
});

describe('a link', () => {
  const stretch = ['2026-01-02T01:10:00.000000Z', '2026-01-02T01:14:00.000000Z'] as const;
  const search = '?from=2026-01-02T01:08:00Z&to=2026-01-02T01:16:00Z&live=off';

  it.each([
    ['https://example.com', '/', 'https://example.com/'],
    ['https://example.com/', '/stations/garden/', 'https://example.com/stations/garden/'],
    ['https://example.com/audio', '/', 'https://example.com/audio/'],
    ['https://example.com/audio/', '/stations/garden/', 'https://example.com/audio/stations/garden/'],
  ])('leads from %s and %s to the page of the station', (page, station, expected) => {
    expect(linkTo(page, station, ...stretch)).toBe(`${expected}${search}`);
  });

  it('adds 1 to 5 minutes before and after the interval', () => {
    const [from] = stretch;
    expect(linkTo('http://x', '/', from, from)).toBe(
      'http://x/?from=2026-01-02T01:09:00Z&to=2026-01-02T01:11:00Z&live=off',
    );
    expect(linkTo('http://x', '/', from, '2026-01-02T09:10:00.000000Z')).toBe(
      'http://x/?from=2026-01-02T01:05:00Z&to=2026-01-02T09:15:00Z&live=off',
    );
  });

  it.each([
    [start, '2026-01-02T01:10:00Z', '2026-01-02T01:10:10Z'],
    [end, ...stretch],
    [silent, '2026-01-02T01:14:07Z', '2026-01-02T01:24:07Z'],
    [back, '2026-01-02T01:14:07Z', '2026-01-02T02:34:07Z'],
    [night, '2026-01-01T21:00:00Z', '2026-01-02T05:00:00Z'],
  ])('is that in the example of $0.kind', ({ link }, from, to) => {
    expect(linkTo('https://audio.example.com', '/stations/garden/', from, to)).toBe(link);
  });
});
