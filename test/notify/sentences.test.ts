// Messages for people: their facts in both languages, and their links.
import { describe, expect, it } from 'vitest';
import { EXAMPLE_MESSAGES } from '../../src/contract/messages.ts';
import { EXAMPLE_SCALE } from '../../src/contract/periods.ts';
import { createSentences, type Facts, linkTo, type SentenceContext } from '../../src/notify/sentences.ts';

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
const UNDECIDED = { ...night, state: 'undecided', reason: 'at_floor', causes: [] };
const LITTLE = { reason: 'too_little_measured', measured_percent: 62.9 };
const UNMEASURED = { ...LITTLE, measured_percent: 0, leq_db: null, assessed_db: null };
const CLIPPED = { reason: 'at_ceiling', over_range: 12, first_over_range: '2026-01-02T01:03:00.000000Z' };
const CLOSE = {
  reason: 'within_uncertainty',
  leq_db: -51.5,
  assessed_db: 43.5,
  measured_percent: 85,
  uncertainty_db: 1.5,
  min_measured_percent: 80,
};
const EVENING = {
  kind: 'passing',
  band_from_hz: 630,
  band_to_hz: 1000,
  band_main_hz: 800,
  run_count: 12,
  from: '2026-01-01T22:30:00.000000Z',
  to: '2026-01-01T23:15:00.000000Z',
};
const SHORT = { dominant_frequency_hz: null, duration_seconds: 3.2, end: '2026-01-02T01:10:40.000000Z' };
const LONG = { leq_db: 57.8, scale: ABSOLUTE, dominant_frequency_hz: 3000, duration_seconds: 3725 };
const NEW_YORK = { timeZone: 'America/New_York' };

const MAXIMA = { leq_db: null };
const NO_LIMIT = { limit_db: null };
const later = (time: string) => ({ now: Date.parse(time) });

/** The facts of the title and of the text, in any order. */
type Case = [what: string, facts: object, site: Partial<SentenceContext>, title: string, text: string];
const CASES: Case[] = [
  ['start', start, {}, '02:10', '55 dB(A), 10 s, 61 dB(A), 45, 3'],
  ['maxima', { ...start, ...MAXIMA, left_out: 0 }, NO_LIMIT, '02:10', '55 dB(A), 10 s, max 63 dB(A)'],
  ['tenths', { ...start, threshold: -40.7 }, {}, '02:10', '54.3 dB(A), 10 s, 61 dB(A), 45, 3'],
  ['end', end, {}, '02:10–02:14', '58 dB(A), 4 min, 45, 315 Hz'],
  ['end of maxima', { ...end, ...MAXIMA }, {}, '02:10–02:14', 'max 64 dB(A), 4 min, 45, 315 Hz'],
  ['short end', { ...end, ...SHORT }, NO_LIMIT, '02:10', '58 dB(A), 3.2 s'],
  ['long end', { ...end, ...LONG }, NEW_YORK, '20:10–20:14', '58 dB(A), 1 h, 2 min, 45, 3.15 kHz'],
  ['dBFS', { ...end, scale: FULL_SCALE }, {}, '02:10–02:14', '−37 dBFS, 4 min, 315 Hz'],
  ['a day later', end, later('2026-01-03T06:00Z'), '2, 02:10–02:14', '58 dB(A), 4 min, 45, 315 Hz'],
  ['silent', silent, {}, '', '02:14'],
  ['silent since yesterday', silent, later('2026-01-02T23:00Z'), '', '2, 02:14'],
  ['back', back, {}, '', '1 h, 20 min'],
  ['night', night, {}, 'exceeded', '48.2 dB(A), 45, 315 Hz, 03:10–03:40'],
  [
    'cause before midnight',
    { ...night, causes: [EVENING] },
    {},
    'exceeded',
    '48.2 dB(A), 45, 12, 23:30–00:15',
  ],
  ['old night', night, later('2026-01-04'), 'exceeded', '48.2 dB(A), 45, 315 Hz, 2, 03:10–03:40'],
  [
    'assessed',
    { ...UNDECIDED, leq_db: -51.9 },
    {},
    'undecided',
    '43.1 dB(A), 48.2, 45, undecided, 45.0 dB(A)',
  ],
  ['calibrated', { ...UNDECIDED, scale: FULL_SCALE }, {}, 'undecided', '48.2 dB, 45, undecided, −50.0 dBFS'],
  ['clipped', { ...UNDECIDED, ...CLIPPED }, {}, 'undecided', '≥ 48.2 dB(A), 45, undecided, 12, 02:03'],
  ['gaps', { ...UNDECIDED, ...LITTLE }, {}, 'undecided', '48.2 dB(A), 45, undecided, 62 %'],
  ['not measured', { ...UNDECIDED, ...UNMEASURED }, {}, 'undecided', 'undecided, 0 %'],
  ['uncertain', { ...UNDECIDED, ...CLOSE }, {}, 'undecided', '43.5 dB(A), 45, undecided, 1.5 dB'],
  ['at the floor', UNDECIDED, {}, 'undecided', '48.2 dB(A), 45, undecided, 45.0 dB(A)'],
];

const FACT =
  /exceeded|undecided|(max |≥ )?−?\d+([.,:]\d+)*(–\d\d:\d\d)?( (dB\(A\)|dBFS|dB|k?Hz|s|min|h|%)(?!\w))?/g;

/** The facts of an English or a German text, in English notation and sorted, because each language orders them. */
function factsIn(text: string, isGerman = false): string[] {
  const plain = text
    .replace(/not decided|nicht entscheidbar/, 'undecided')
    .replace(/over the limit|über dem Grenzwert/, 'exceeded')
    .replace('max.', 'max');
  const facts = plain.match(FACT) ?? [];
  const english = (fact: string) => fact.replace(/[.,]/g, (mark) => (mark === '.' ? ',' : '.'));
  return (isGerman ? facts.map(english) : facts).toSorted();
}

describe('sentences', () => {
  it.each(CASES)('have all facts, and no others: %s', (_, facts, site, title, text) => {
    const expected = [title, text].map((list) => list.split(', ').filter(Boolean).toSorted());
    for (const sentences of [english, german]) {
      const words = sentences.wordsOf(facts as Facts, { ...SITE, ...site });
      const said = [words.title, words.text].map((line) => factsIn(line, sentences === german));
      expect(said).toEqual(expected);
    }
  });

  it.each(Object.values(EXAMPLE_MESSAGES))(
    'are those in the example of $kind',
    ({ title, text, ...facts }) => {
      expect(english.wordsOf(facts, SITE)).toEqual({ title, text });
    },
  );
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
