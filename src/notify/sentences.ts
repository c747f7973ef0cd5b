// Titles, lines and links of messages for people, in their language.
import { bandOf } from '../contract/bands.ts';
import { unitOf } from '../contract/level-unit.ts';
import type { Message } from '../contract/messages.ts';
import { offsetScaleOf } from '../contract/shown-scale.ts';
import { createCauseText } from '../texts/cause-text.ts';
import { type Language, TEXTS } from '../texts/languages.ts';
import { MESSAGES } from '../texts/messages.ts';
import { createBandText, createLengthText } from '../texts/quantity-text.ts';

type WithoutWords<Kind> = Kind extends Message ? Omit<Kind, 'title' | 'text' | 'link'> : never;
/** A message before it gets its title, text and link. */
export type Facts = WithoutWords<Message>;
type EventFacts = Extract<Facts, { peak_db: number }>;
type NightFacts = Extract<Facts, { kind: 'night' }>;

export interface SentenceContext {
  readonly name: string;
  readonly timeZone: string;
  /** The limit of noise events, on the calibrated scale; null without one. */
  readonly limit_db: number | null;
  /** In ms since 1970. Times on other days get a date, and a silence is measured up to now. */
  readonly now: number;
}

export async function createSentences(language: Language) {
  const { [language]: texts } = MESSAGES;
  const ofPage = await TEXTS[language]();
  const { reasons } = ofPage;
  const causeText = createCauseText(ofPage, language);
  const lengthText = createLengthText(language);
  const numberText = (digits: Intl.NumberFormatOptions) => {
    const format = new Intl.NumberFormat(language, { ...digits, signDisplay: 'negative' });
    return (number: number) => format.format(number).replace('-', '−');
  };
  const whole = numberText({ maximumFractionDigits: 0 });
  const tenths = numberText({ minimumFractionDigits: 1, maximumFractionDigits: 1 });
  const asGiven = numberText({ maximumFractionDigits: 2 });
  const bandText = createBandText(language);
  const bandIn = (nominal_hz: number | null) => (nominal_hz === null ? [] : [bandText(nominal_hz)]);

  /** Times of day, with the date if `day` is not today. */
  function timesText({ timeZone, now }: SentenceContext, from: string, to = from, day = to): string {
    const clock = { timeZone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
    const clocks = [from, to].map((time) =>
      new Intl.DateTimeFormat(language, clock).format(Date.parse(time)),
    );
    const date = new Intl.DateTimeFormat(language, { timeZone, month: 'short', day: 'numeric' });
    const isToday = date.format(Date.parse(day)) === date.format(now);
    return `${isToday ? '' : `${date.format(Date.parse(from))}, `}${[...new Set(clocks)].join('–')}`;
  }

  function eventText(facts: EventFacts, { limit_db }: SentenceContext): string {
    const { unit, offset, isAbsolute } = offsetScaleOf(facts.scale, null);
    const levelText = (db: number) => `${whole(db + offset)} ${unit}`;
    const level = facts.leq_db === null ? texts.max(levelText(facts.peak_db)) : levelText(facts.leq_db);
    const length = lengthText(facts.duration_seconds);
    const limit = isAbsolute && limit_db !== null ? [texts.limit(asGiven(limit_db))] : [];
    if (facts.kind === 'start') {
      const threshold = `${asGiven(facts.threshold + offset)} ${unit}`;
      return [texts.overFor(threshold, length), texts.soFar(level), ...limit].join(', ');
    }
    return [texts.levelFor(level, length), ...limit, ...bandIn(bandOf(facts.dominant_frequency_hz))].join(
      ', ',
    );
  }

  function nightText(facts: NightFacts, site: SentenceContext): string {
    const { leq_db, assessed_db, limit_db, scale, causes, state, to } = facts;
    const { offset, isAbsolute } = offsetScaleOf(scale, null);
    const leq = isAbsolute && leq_db !== null ? leq_db + offset : null;
    const level = leq ?? assessed_db; // on the scale of the limit, like assessed_db
    const bound = facts.over_range > 0 ? '≥ ' : '';
    const parts =
      level === null
        ? [texts.night]
        : [`${texts.night} ${bound}${tenths(level)} ${unitOf({ ...scale, reference_db: 0 })}`];
    // the assessed level includes a penalty, or is that of the loudest hour
    const isOther = level !== null && assessed_db !== null && tenths(level) !== tenths(assessed_db);
    if (isOther) parts.push(texts.assessed(`${bound}${tenths(assessed_db)}`));
    if (level !== null) parts.push(texts.limit(asGiven(limit_db)));
    if (state === 'undecided') parts.push(`${texts.notDecided}${reasonText(facts, site)}`);
    const named = causes.map((cause) =>
      texts.cause(causeText(cause), timesText(site, cause.from, cause.to, to)),
    );
    return [parts.join(', '), ...named].join('; ');
  }

  /** Why a night is not decided; '' if it does not say. */
  function reasonText(night: NightFacts, site: SentenceContext): string {
    const { reason, scale, uncertainty_db, first_over_range: first } = night;
    if (reason === null) return '';
    const { unit, offset } = offsetScaleOf(scale, null);
    const text = reasons[reason]({
      measured: `${whole(Math.floor(night.measured_percent ?? 0))} %`,
      floor: `${tenths(scale.floor_db + offset)} ${unit}`,
      ceilingCount: night.over_range,
      ceilingText: whole(night.over_range),
      firstAtCeiling: first === null ? '' : timesText(site, first, first, night.to),
      uncertainty: uncertainty_db === null ? '' : asGiven(uncertainty_db),
    });
    return `: ${text}`;
  }

  function lineOf(facts: Facts, site: SentenceContext): string {
    if ('peak_db' in facts) return eventText(facts, site);
    if (facts.kind === 'night') return nightText(facts, site);
    if (facts.kind === 'silent') return texts.silentSince(timesText(site, facts.since));
    return texts.backAfter(lengthText((site.now - Date.parse(facts.since)) / 1000));
  }

  function titleOf(facts: Facts, site: SentenceContext): string {
    if (facts.kind === 'start') return texts.since(timesText(site, facts.start));
    if (facts.kind === 'end') return texts.during(timesText(site, facts.start, facts.end));
    if (facts.kind === 'night') return facts.state === 'over' ? texts.over : texts.undecided;
    return texts[facts.kind];
  }

  return {
    wordsOf(facts: Facts, site: SentenceContext): Pick<Message, 'title' | 'text'> {
      const leftOut = facts.left_out > 0 ? texts.leftOut(whole(facts.left_out)) : '';
      return { title: titleOf(facts, site), text: `${site.name}: ${lineOf(facts, site)}${leftOut}` };
    },
  };
}

const [LEAST_MS, MOST_MS] = [60_000, 300_000];

/**
 * src/page/state/view-in-address.ts reads the interval.
 *
 * @param page the address of the service, such as `https://example.com/audio/`
 * @param station the path of the station below `page`, such as `/` or `/stations/garden/`
 * @returns the address of the station's page. An interval gets a margin of half its length, from 1 to 5 minutes
 */
export function linkTo(page: string, station: string, from?: string, to?: string): string {
  const link = new URL(`.${station}`, page.endsWith('/') ? page : `${page}/`);
  if (from === undefined || to === undefined) return link.href;
  const [start, end] = [Date.parse(from), Date.parse(to)];
  const margin = Math.min(Math.max((end - start) / 2, LEAST_MS), MOST_MS);
  const [first, last] = [start - margin, end + margin].map(
    (ms) => `${new Date(ms).toISOString().slice(0, 19)}Z`,
  );
  link.search = `from=${first}&to=${last}&live=off`;
  return link.href;
}
