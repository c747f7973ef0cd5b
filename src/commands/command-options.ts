// The options of commands: the forms of their texts, and the types of their values. Commander reads them.
import { type Command, InvalidArgumentError, Option } from 'commander';
import { INSTANT_ALLOWED, type Interval, parseInstant } from '../contract/instant.ts';
import { InstantInput } from '../contract/parameters.ts';
import { lineUpTo } from '../contract/printable.ts';
import { isAnyStation, STATION_NAME_RULE } from '../contract/station.ts';

export interface Form<Value> {
  /** Words that continue "It must be". */
  readonly allowed: string;
  /** @returns undefined if the text is not allowed */
  parse(text: string): Value | undefined;
}

/** How commander reads an option. */
interface Kind<Value> {
  (option: Option): Option;
  /** Never set: it carries the type. */
  readonly value?: Value;
}

type Kinds = Readonly<Record<string, Kind<unknown>>>;

/** Options of a command: descriptions by flags, and kinds by names. Without a kind, an option takes any text. */
export interface Options {
  readonly help: Readonly<Record<string, string>>;
  readonly kinds: Kinds;
}

/** The values that commander passes to the action of a command with these options. */
export type ValuesOf<Given extends Options> = {
  readonly [Name in keyof Given['kinds']]: Given['kinds'][Name] extends Kind<infer Value> ? Value : never;
};

export const read =
  <Value>(form: Form<Value>): Kind<Value | undefined> =>
  (option) =>
    option.argParser(reading(form));

export const repeatable = <Value>(form: Form<Value>): Kind<readonly Value[]> => {
  const read = reading(form);
  return (option) =>
    option.default([], 'none').argParser((text, before: readonly Value[]) => [...before, read(text)]);
};

export const choice =
  <Name extends string>(names: readonly Name[]): Kind<Name | undefined> =>
  (option) =>
    option.choices(names);

export const flag: Kind<true | undefined> = (option) => option;

export const needed =
  <Value>(kind: Kind<Value | undefined>): Kind<Value> =>
  (option) =>
    kind(option).makeOptionMandatory();

/** @param shown the value as a user would write it */
export const preset =
  <Value>(kind: Kind<Value | undefined>, value: Value, shown?: string): Kind<Value> =>
  (option) =>
    kind(option).default(value, shown);

/** An option that excludes others, by their names. */
export const apart =
  <Value>(kind: Kind<Value>, ...names: readonly string[]): Kind<Value> =>
  (option) =>
    kind(option).conflicts([...names]);

export const flagOf = (name: string) => `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

export function declareOptions(command: Command, { help, kinds }: Options): Command {
  for (const [flags, description] of Object.entries(help)) {
    const option = new Option(flags, description);
    command.addOption(kinds[option.attributeName()]?.(option) ?? option);
  }
  return command;
}

/** @returns the flags that the user has given, such as `--zone` */
export const givenOf = (command: Command, kinds: Kinds): string[] =>
  Object.keys(kinds)
    .filter((name) => command.getOptionValueSource(name) === 'cli')
    .map(flagOf);

/** Refuses an option that is given twice, unless it is repeatable. */
export function refuseRepeated(command: Command): void {
  for (const each of command.options) {
    if (Array.isArray(each.defaultValue)) continue;
    let times = 0;
    command.on(`option:${each.name()}`, () => {
      times += 1;
      if (times > 1) command.error(`error: option '${each.flags}' may be given only once`);
    });
  }
}

export const reading =
  <Value>({ allowed, parse }: Form<Value>) =>
  (text: string): Value => {
    const value = parse(text);
    if (value === undefined) throw new InvalidArgumentError(`It must be ${allowed}.`);
    return value;
  };

const numberBetween = (digits: RegExp, words: string) => (least: number, most: number) => ({
  allowed: `${words}, ${least} to ${most}`,
  parse(text: string): number | undefined {
    const value = digits.test(text) ? Number(text) : Number.NaN;
    return value >= least && value <= most ? value : undefined;
  },
});

export const wholeNumberBetween = numberBetween(/^\d{1,15}$/, 'a whole number');
export const decibels = numberBetween(/^-?\d{1,3}(\.\d{1,6})?$/, 'a plain decimal number of dB');

export const factor = numberBetween(/^\d{1,4}(\.\d{1,6})?$/, 'a plain decimal number');

/** A form of texts that are kept as they are. */
export const textThat = (allowed: string, isAllowed: (text: string) => boolean): Form<string> => ({
  allowed,
  parse: (text) => (isAllowed(text) ? text : undefined),
});

/** A form of visible texts that fit in one line. */
export const lineForm = (most: number): Form<string> => ({
  allowed: `a text of 1 to ${most} characters, without control characters`,
  parse: (text) => lineUpTo(most, text) || undefined,
});

export const ANY_TEXT = textThat('a text', () => true);

/** The action makes it canonical, by its own clock. */
export const INSTANT = textThat(
  `${INSTANT_ALLOWED}, in the years 0001 to 9999`,
  (text) => InstantInput.safeParse(text).success,
);
export const INTERVAL = {
  help: {
    '--from <TIME>': `the start, inclusive: ${INSTANT_ALLOWED}`,
    '--to <TIME>': 'the end, exclusive; the same formats as --from',
  },
  kinds: { from: needed(read(INSTANT)), to: needed(read(INSTANT)) },
};
export type GivenInterval = ValuesOf<typeof INTERVAL>;

/** @throws a usage error of the command */
export function intervalBetween(given: GivenInterval, now: string, command: Command): Interval {
  const [from, to] = [given.from, given.to].map((text) => parseInstant(text, now));
  if (from === undefined || to === undefined || from >= to)
    command.error('--from: must be earlier than --to');
  return { from, to };
}

export const STATION = textThat(STATION_NAME_RULE.replace('must be ', ''), isAnyStation);
