// The options of commands: the forms of their texts, and the types of their values. Commander reads them.
import { type Command, InvalidArgumentError, Option } from 'commander';
import { INSTANT_ALLOWED, type Interval, parseInstant } from './contract/instant.ts';
import { InstantInput } from './contract/instant-schema.ts';
import { isAnyStation, STATION_NAME_RULE } from './contract/station.ts';

/** What the text of an option may be. */
export interface Form<Value> {
  /** Words that continue "It must be". */
  readonly allowed: string;
  /** @returns undefined if the text is not allowed */
  parse(text: string): Value | undefined;
}

/** An option that commander reads to a value of this type. */
interface ValueOption<Value> extends Option {
  /** Never set: it carries the type. */
  readonly value?: Value;
}

/** The values that commander passes to the action of a command with these options. */
export type ValuesOf<Options> = {
  readonly [Name in keyof Options]: Options[Name] extends ValueOption<infer Value> ? Value : never;
};

export const option = <Value>(flags: string, description: string, form: Form<Value>): ValueOption<Value> =>
  new Option(flags, description).argParser(reading(form));

/** An option that may be given several times. */
export const repeatable = <Value>(
  flags: string,
  description: string,
  form: Form<Value>,
): ValueOption<readonly Value[]> => {
  const read = reading(form);
  return new Option(flags, description)
    .default([], 'none')
    .argParser((text, before: readonly Value[]) => [...before, read(text)]);
};

export const choice = <Name extends string>(
  flags: string,
  description: string,
  names: readonly Name[],
): ValueOption<Name> => new Option(flags, description).choices(names);

export const flag = (flags: string, description: string): ValueOption<true> => new Option(flags, description);

export function flagOf(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

export function declareOptions(command: Command, options: Readonly<Record<string, Option>>): Command {
  for (const each of Object.values(options)) command.addOption(each);
  return command;
}

/** @returns those of the options that the user has given */
export function givenOf(command: Command, options: Readonly<Record<string, Option>>): Option[] {
  return Object.values(options).filter(
    (each) => command.getOptionValueSource(each.attributeName()) === 'cli',
  );
}

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

/** For commander: reads the text of an option or an argument. */
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

export const wholeNumber = numberBetween(/^\d{1,15}$/, 'a whole number');
export const decibels = numberBetween(/^-?\d{1,3}(\.\d{1,6})?$/, 'a plain decimal number of dB');

/** A form of texts that are kept as they are. */
export const textThat = (allowed: string, isAllowed: (text: string) => boolean): Form<string> => ({
  allowed,
  parse: (text) => (isAllowed(text) ? text : undefined),
});

export const ANY_TEXT = textThat('a text', () => true);

/** The action makes it canonical, by its own clock. */
export const INSTANT = textThat(INSTANT_ALLOWED, (text) => InstantInput.safeParse(text).success);
export const INTERVAL_OPTIONS = {
  from: option('--from <TIME>', `the start, inclusive: ${INSTANT_ALLOWED}`, INSTANT).makeOptionMandatory(),
  to: option('--to <TIME>', 'the end, exclusive; the same formats as --from', INSTANT).makeOptionMandatory(),
};
export type GivenInterval = ValuesOf<typeof INTERVAL_OPTIONS>;

/** @throws a usage error of the command */
export function readInterval(given: GivenInterval, now: string, command: Command): Interval {
  const [from, to] = [given.from, given.to].map((text) => parseInstant(text, now));
  if (from === undefined || to === undefined || from >= to)
    command.error('--from: must be earlier than --to');
  return { from, to };
}

export const STATION = textThat(STATION_NAME_RULE.replace('must be ', ''), isAnyStation);
