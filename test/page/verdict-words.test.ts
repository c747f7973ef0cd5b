// The words of verdicts: they follow the state and the reason in the answer, and add no judgement of their own.
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { EXAMPLE_SCALE } from '../../src/contract/periods.ts';
import { Reason } from '../../src/contract/verdicts.ts';
import { AgainstLimitsOutput } from '../../src/operations/stats/limits/contract.ts';
import { rowsOf } from '../../src/page/cards/card-rows.ts';
import { levelText, summaryLeqText } from '../../src/page/locale-format.ts';
import { assessText, limitCells, partCells, verdictLines } from '../../src/page/panels/limit-verdict.ts';
import { withMaxima } from '../../src/page/state/fast-station.ts';
import { BROWSER_ZONE, scaleIn, setSite } from '../../src/page/state/site.ts';
import type { AgainstLimits, Part } from '../../src/page/verdict-text.ts';
import { TEXTS } from '../../src/texts/languages.ts';
import { NOT_RECORDED } from '../scales.ts';

beforeAll(() => {
  vi.stubGlobal('location', new URL('http://example.com/'));
  setSite({ time_zone: 'Europe/Vienna', limits: [], ...NOT_RECORDED });
});
afterAll(() => {
  vi.unstubAllGlobals();
  setSite({ time_zone: BROWSER_ZONE, limits: [], ...NOT_RECORDED });
});

const example = AgainstLimitsOutput.parse(AgainstLimitsOutput.meta()?.examples?.[0]);
const [limit] = example.limits;
const [part] = example.parts;
if (!limit || !part) throw new Error('The example has no limit');
const scale = { ...EXAMPLE_SCALE, levels: 'absolute' as const, reference_db: 0, floor_db: 45 };
/** An answer of absolute levels from 6 to 22 in Vienna: 52.9 dB(A) against 55. */
const whole: Part = { ...part, leq_db: 52.9, leq_low_db: 52.9 };
const answer: AgainstLimits = { ...example, scale, offset_db: 0, parts: [whole] };
const of = (changes: Partial<Part>) => ({ ...whole, ...changes });
const open = (reason: Reason, changes: Partial<Part> = {}) => of({ state: 'undecided', reason, ...changes });
const running = { is_cut: true, is_running: true, used_percent: 24.97, average_left_db: 55.6 };

/** When the card is shown. */
const NOON = '2026-01-01T11:00:00.000000Z';
const rows = (stretch: Part, more: Partial<AgainstLimits> = {}) =>
  rowsOf(stretch, { ...answer, to: NOON, ...more }, true);

describe('a card', () => {
  it.each<[what: string, stretch: Part, verdict: string, note: string]>([
    ['over', of({ state: 'over', assessed_db: 57.12 }), '▲ 2.1 dB over the limit', ''],
    ['under', whole, '✓ 2.1 dB under the limit', ''],
    ['as loud as the limit', of({ assessed_db: 54.98 }), '✓ Within the limit', ''],
    [
      'so far under',
      open('not_yet', running),
      '✓ 2.1 dB under the limit so far',
      'At most 55.6 dB(A) on average from now on',
    ],
    [
      'so far over',
      open('not_yet', { ...running, assess: 'hour', assessed_db: 57 }),
      '? 2.0 dB over the limit so far',
      'At most 55.6 dB(A) on average for the rest of this hour',
    ],
    [
      'too loud to last: what is left for 10 h is used up in 2 h 30 min',
      open('not_yet', { ...running, passed_at: '2026-01-01T13:30:00.000000Z' }),
      '▲ 6.0 dB too loud to last',
      'Passed at 2:30 PM at this level. At most 55.6 dB(A) on average from now on',
    ],
    [
      'over for certain while it runs',
      of({ ...running, state: 'over', assessed_db: 62, used_percent: 125.9, average_left_db: null }),
      '▲ Over the limit already',
      '',
    ],
    [
      'over by an hour that is not the assessed one',
      of({ state: 'over', assess: 'hour', assessed_db: 40 }),
      '▲ Over the limit',
      '',
    ],
    [
      'at the ceiling',
      open('at_ceiling', { over_range: 12, first_over_range: '2026-01-01T06:03:00.000000Z' }),
      '? Not decided',
      '12 levels are at the ceiling, first at 7:03 AM',
    ],
    [
      'overloaded',
      open('at_ceiling', { first_over_range: '2026-01-01T06:03:00.000000Z' }),
      '? Not decided',
      'The sound was overloaded, first at 7:03 AM',
    ],
    ['at the floor', open('at_floor'), '? Not decided', 'The recorder measures nothing below 45.0 dB(A)'],
    [
      'too close',
      open('within_uncertainty'),
      '? Not decided',
      'Closer to the limit than the uncertainty of ± 3.0 dB',
    ],
    ['of gaps', open('too_little_measured'), '? Not decided', 'Too little was measured'],
    [
      'of hours with gaps',
      open('too_little_measured', { assess: 'hour', lacking_count: 2 }),
      '? Not decided',
      'Too little was measured in 2 hours',
    ],
    [
      'cut',
      open('too_little_measured', { is_cut: true }),
      '? Not decided',
      'This interval shows only a portion of the period',
    ],
  ])('says what the service decided: %s', (_, stretch, verdict, note) => {
    const said = rows(stretch, { uncertainty_db: 3 });
    expect([`${said.mark} ${said.verdict}`, said.note]).toEqual([verdict, note]);
  });

  it('says "≥" beside a level with levels at the ceiling, as "≤" beside one at the floor', () => {
    const figures = (changes: Partial<Part>) => rows(open('at_ceiling', changes)).figures;
    expect(figures({ over_range: 1 })).toBe('≥ 52.9 dB(A), limit 55 · measured 99.8 %');
    expect(figures({ over_range: 1, assessed_db: 55.9 })).toBe(
      'assessed ≥ 55.9 dB(A), limit 55 · measured 99.8 %',
    );
    expect(figures({ leq_low_db: 50 })).toBe('≤ 52.9 dB(A), limit 55 · measured 99.8 %');
  });

  it('says "≥" beside a level of overloaded windows, and beside figures at the ceiling', () => {
    expect(rows(of({ overload_percent: 0.1 })).figures).toBe('≥ 52.9 dB(A), limit 55 · measured 99.8 %');
    expect([94.9, 95].map((level) => levelText(level, scaleIn(scale)))).toEqual(['94.9', '≥ 95.0']);
    const summary = { leq_db: 60, leq_low_db: 60, max_db: 95, overload_percent: null };
    expect(summaryLeqText(summary, scaleIn(scale))).toBe('≥ 60.0');
    expect(summaryLeqText({ ...summary, max_db: 94.9 }, scaleIn(scale))).toBe('60.0');
  });

  it('names the command for levels of an unknown weighting, and both weightings if they differ', () => {
    const null_state = of({ state: null, reason: 'other_weighting', assessed_db: null });
    expect(rows(null_state, { scale: { ...scale, weighting: null } })).toEqual({
      verdict: '52.9 dB(A)',
      figures: 'measured 99.8 %',
      note: 'Unknown weighting: npm run station -- set default --weighting A',
    });
    expect(rows(null_state, { scale: { ...scale, weighting: 'Z' } }).note).toBe(
      'Levels have weighting Z, the limit A',
    );
  });
});

describe('the limits panel and the report', () => {
  it('count no cut or running part, and tell what a running part has left', () => {
    const cut = open('too_little_measured', { is_cut: true, to: '2026-01-01T12:00:00.000000Z' });
    const last = open('not_yet', running);
    const found = { ...answer, parts: [cut, last] };
    const none = { ...limit, state: null, reason: 'not_yet' as const, part_count: 0, parts_over: 0 };
    expect([cut, last].map((each) => partCells(each, found)[3])).toEqual([
      'not decided: this interval shows only a portion of the period',
      '2.1 dB under the limit so far',
    ]);
    expect(limitCells({ ...none, assessed_from: null }, found)[4]).toBe('no whole period');
    const lines = verdictLines({ ...found, limits: [{ ...none, assessed_from: null }] });
    expect(lines.map(({ verdict, reasons }) => [verdict, reasons])).toEqual([
      ['no whole period', ''],
      [
        '2.1 dB under the limit so far',
        '52.9 against 55 dB(A), 24 % of the energy that the limit allows is used; at most 55.6 dB(A) on average from now on',
      ],
    ]);
  });

  it('say that the uncertainty is not stated, or what it is', () => {
    const reasons = (uncertainty_db: number | null) =>
      verdictLines({ ...answer, limits: [limit], uncertainty_db })[0]?.reasons;
    expect(reasons(null)).toBe('52.9 against 55 dB(A), uncertainty not stated, measured 99.8 %');
    expect(reasons(0)).toContain('uncertainty ± 0 dB');
  });

  it('show the weighting and the options of a limit, and each limit its own stretch', () => {
    const options = { weighting: 'C' as const, penalty_db: 3, max_limit_db: 60 };
    expect(partCells(of(options), answer)[0]).toBe('55 (C) (+ 3), max 60');
    const night = { ...limit, start: '22:00', end: '06:00', assess: 'hour' as const };
    expect(assessText([limit, night], 'part')).toBe('06:00–22:00 each period, 22:00–06:00 the loudest hour');
    expect(assessText([night], 'part')).toBe('the loudest hour');
  });

  it('mark the levels of a limit by the levels at the ceiling of its own parts', () => {
    const night = of({
      from: '2025-12-31T21:00:00.000000Z',
      to: '2026-01-01T05:00:00.000000Z',
      over_range: 1,
    });
    const found = { ...answer, parts: [night, whole] };
    const nightly = { ...limit, start: '22:00', end: '06:00', assessed_from: night.from };
    const levels = (each: typeof limit) =>
      limitCells({ ...each, leq_db: 52.9, leq_low_db: 52.9 }, found).slice(2, 4);
    expect(levels(nightly)).toEqual(['≥ 52.9', '≥ 52.9']);
    expect(levels(limit)).toEqual(['52.9', '52.9']);
  });

  it('show the maxima of the station of Fast maxima, and else their own', () => {
    const own = { max_limit_db: 60, max_db: 58, max_over_count: 0, max_state: 'under' as const };
    const fast = { max_limit_db: 60, max_db: -30.4, max_over_count: 2, max_state: 'over' as const };
    const here = { ...answer, limits: [{ ...limit, ...own }], parts: [of(own)] };
    const there = { ...answer, offset_db: 95, limits: [{ ...limit, ...fast }], parts: [of(fast)] };
    const maxima = (shown: AgainstLimits) => verdictLines(shown)[0]?.reasons.match(/highest.*?(?=, )/)?.[0];
    expect(maxima(withMaxima(here, there))).toBe(
      'highest maximum 64.6 against 60 dB(A): over the limit in 2 minutes',
    );
    for (const other of [undefined, { ...there, limits: [limit], parts: [whole] }])
      expect(maxima(withMaxima(here, other))).toBe('highest maximum 58.0 against 60 dB(A): within the limit');
  });
});

describe('the reasons', () => {
  const facts = {
    measured: '',
    floor: '',
    ceilingCount: 0,
    ceilingText: '',
    firstAtCeiling: '',
    uncertainty: '',
  };
  it.each(Reason.options)('have words in both languages: %s', async (reason) => {
    const [en, de] = await Promise.all([TEXTS.en(), TEXTS.de()]);
    const [english, german] = [en, de].map(({ reasons }) => reasons[reason](facts));
    expect(english).toBeTruthy();
    expect(german).toBeTruthy();
    expect(german).not.toBe(english);
  });
});
