// Nights made from known sources, one point a second, and what each source adds to them.
/** A source of sound: its level above nothing at a second of the night, in dB; null while it is silent. */
export interface Source {
  readonly kind: 'tone' | 'steady' | 'bursts' | 'event' | 'passing' | 'background';
  /** From 100 Hz to 8 kHz. */
  readonly frequency_hz: number;
  /** The strongest frequencies, which take turns; `frequency_hz` alone by default. */
  readonly frequencies?: readonly number[];
  /** The first second of the night with it, and the one after the last. */
  readonly from: number;
  readonly to: number;
  level(second: number): number | null;
}

export interface Point {
  readonly second: number;
  /** On the scale of limits, to a thousandth of a dB. */
  readonly level: number;
  readonly frequency_hz: number;
}

const powerOf = (level: number | null) => (level === null ? 0 : 10 ** (level / 10));

/** The sum of all sources, with the frequency of the loudest. */
export function pointsOf(sources: readonly Source[], seconds: number): Point[] {
  return Array.from({ length: seconds }, (_, second) => {
    const powers = sources.map((each) =>
      second >= each.from && second < each.to ? powerOf(each.level(second)) : 0,
    );
    const power = powers.reduce((sum, each) => sum + each, 0);
    const loudest = sources[powers.indexOf(Math.max(...powers))];
    const { frequency_hz = 100, frequencies = [frequency_hz] } = loudest ?? {};
    return {
      second,
      level: Math.round(10 * Math.log10(power) * 1000) / 1000,
      frequency_hz: frequencies[(second * 7) % frequencies.length] ?? frequency_hz,
    };
  });
}

/** The energy of a source in the night. */
export const energyOf = ({ from, to, level }: Source) =>
  Array.from({ length: to - from }, (_, at) => powerOf(level(from + at))).reduce(
    (sum, each) => sum + each,
    0,
  );

/** Noise with a standard deviation, from three uniform numbers. */
function noise(random: () => number, deviation_db: number): number {
  return (random() + random() + random() - 1.5) * 2 * deviation_db;
}

/** Levels that are drawn once, so that a source has the same sound each time it is read. */
const drawn = (length: number, levelAt: (at: number) => number | null) =>
  Array.from({ length }, (_, at) => levelAt(at));

function source(
  kind: Source['kind'],
  frequency_hz: number,
  from: number,
  length: number,
  levelAt: (at: number) => number | null,
): Source {
  const levels = drawn(length, levelAt);
  return { kind, frequency_hz, from, to: from + length, level: (second) => levels[second - from] ?? null };
}

export const background = (random: () => number, level: number, seconds: number) =>
  source('background', 160, 0, seconds, (at) => level + Math.sin(at / 3000) + noise(random, 0.8));

export const steady = (
  random: () => number,
  kind: 'tone' | 'steady',
  of: { from: number; length: number; level: number; frequency_hz: number; deviation_db: number },
) => source(kind, of.frequency_hz, of.from, of.length, () => of.level + noise(random, of.deviation_db));

/** A sound that rises and falls, such as a car. */
export const passing = (
  of: { from: number; length: number; peak: number; frequency_hz: number },
  kind: 'passing' | 'event' = 'passing',
) =>
  source(
    kind,
    of.frequency_hz,
    of.from,
    of.length,
    (at) => of.peak - 25 * ((2 * (at + 0.5)) / of.length - 1) ** 2,
  );

/** Bursts of some seconds with pauses between them. */
export const bursts = (
  random: () => number,
  of: { from: number; length: number; level: number; frequency_hz: number; on: number; off: number },
) =>
  source('bursts', of.frequency_hz, of.from, of.length, (at) =>
    at % (of.on + of.off) < of.on ? of.level + noise(random, 1.5) : null,
  );
