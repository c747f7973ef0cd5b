// Names the episodes of stats.why for people, on the page and in messages. It never guesses a source.
import type { Texts } from './en.ts';
import { createBandText } from './quantity-text.ts';

/** What names an episode of stats.why. */
interface Named {
  readonly kind: 'tone' | 'steady' | 'bursts' | 'event' | 'passing' | 'background';
  readonly band_main_hz: number | null;
  readonly band_from_hz: number | null;
  readonly band_to_hz: number | null;
  readonly run_count: number;
}

/** The highest bands of low and of middle pitch, Hz. */
const [LOW, MIDDLE] = [250, 1250];

export const pitchOf = (band_hz: number | null) =>
  band_hz === null ? 'unknown' : band_hz <= LOW ? 'low' : band_hz <= MIDDLE ? 'middle' : 'high';

/** For example `100–125 Hz`, or `630 Hz–1 kHz`. */
function rangeOf(from: string, to: string): string {
  const [number = '', unit = ''] = from.split(' ');
  return `${to.endsWith(` ${unit}`) ? number : from}–${to}`;
}

/** @returns a function that names an episode, such as `Tone at 160 Hz` */
export function createCauseText({ causes: words }: Pick<Texts, 'causes'>, locales: string | string[]) {
  const bandText = createBandText(locales);
  const format = new Intl.NumberFormat(locales);
  return ({
    kind,
    band_main_hz: main,
    band_from_hz: from,
    band_to_hz: to,
    run_count: count,
  }: Named): string => {
    if (kind === 'background') return words.background;
    if (kind === 'passing')
      return `${format.format(count)} ${words.passing[pitchOf(main)][count === 1 ? 0 : 1]}`;
    if (kind === 'tone') return `${words.tone} ${main === null ? '' : bandText(main)}`;
    const name = kind === 'steady' ? words.steady[pitchOf(main)] : words[kind];
    if (from === null || to === null) return name;
    return `${name}, ${from === to ? bandText(from) : rangeOf(bandText(from), bandText(to))}`;
  };
}
