// Reads option values strictly, and reports each wrong value with what is allowed.
import { type Command, Option } from 'commander';
import { AppError } from '../errors.ts';

/** Option values by name. An option given several times has several. */
export type Given<Name extends string> = { [name in Name]?: string[] };

/** An option that collects all its values, so that a second one can be refused. */
export const repeated = (flags: string, description: string) =>
  new Option(flags, description).argParser((text, before: string[] = []) => [...before, text]);

/** @param options descriptions by flag */
export function declareRepeated(command: Command, options: Readonly<Record<string, string>>): Command {
  for (const each of Object.entries(options)) command.addOption(repeated(...each));
  return command;
}

export function flagOf(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

export type OptionReader<Name extends string> = ReturnType<typeof createOptionReader<Name>>;

export function createOptionReader<Name extends string>(given: Given<Name>) {
  const faults: string[] = [];
  const fault = (argument: string, detail: string) => {
    faults.push(`${argument}: ${detail}`);
    return undefined;
  };
  return {
    fault,
    has: (name: Name) => given[name] !== undefined,
    /** @returns undefined if the option is missing or wrong */
    read<T>(name: Name, parse: (text: string) => T | undefined, allowed: string): T | undefined {
      const texts = given[name] ?? [];
      const flag = flagOf(name);
      if (texts.length > 1) fault(flag, `given ${texts.length} times; it may be given only once`);
      const [text] = texts;
      if (text === undefined) return undefined;
      return parse(text) ?? fault(flag, `${JSON.stringify(text)} is not allowed; it must be ${allowed}`);
    },
    /** Reads an option that may be given several times. */
    readAll<T>(name: Name, parse: (text: string) => T | undefined, allowed: string): T[] {
      return (given[name] ?? []).flatMap((text) => {
        const value = parse(text);
        if (value === undefined)
          fault(flagOf(name), `${JSON.stringify(text)} is not allowed; it must be ${allowed}`);
        return value === undefined ? [] : [value];
      });
    },
    /** @throws AppError BAD_REQUEST with one line per wrong argument */
    end(): void {
      if (faults.length > 0) throw new AppError('BAD_REQUEST', faults.join('\n'));
    },
  };
}

export function oneOf<Name extends string>(names: readonly Name[]) {
  return (text: string) => names.find((name) => name === text);
}

const numberOf = (form: RegExp) => (min: number, max: number) => (text: string) => {
  const value = form.test(text) ? Number(text) : Number.NaN;
  return value >= min && value <= max ? value : undefined;
};

export const wholeNumber = numberOf(/^\d{1,7}$/);

export const decimal = numberOf(/^-?\d{1,3}(\.\d{1,6})?$/);
