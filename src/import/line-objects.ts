// Reads lines that are objects: JSON, or InfluxDB's line protocol. Dots lead to members of members: `a.b`, `a.0.b`.
import { namesText } from '../commands/progress.ts';
import { readLineProtocol } from '../contract/line-protocol.ts';

export const NAME_MEMBERS = 'name those to read, such as --columns time=ts,level=laeq';

const IS_ARRAY = "is a JSON array: put each object on a line of its own (jq -c '.[]')";
/** A list with more members holds rows of its own. */
const MOST_MEMBERS = 10;

type Members = Readonly<Record<string, unknown>>;
/** The object in a line, or why there is none. */
type ObjectLine = { readonly value: Members } | { readonly fault: string };

/** @param names of the members to read. @returns undefined if the line is not of a table of objects */
export function objectReaderFor(
  line: string,
  names: readonly string[],
): ((line: string) => ObjectLine) | undefined {
  if (/^\s*(?:\{|\[\s*(?:$|[{[]))/.test(line)) return readJson;
  const point = readLineProtocol(line);
  const isPoint =
    / \d{10,19}$/.test(line) || (names.length > 0 && names.every((name) => name in (point ?? {})));
  return point && isPoint ? readProtocol : undefined;
}

function readProtocol(line: string): ObjectLine {
  const value = readLineProtocol(line);
  return value ? { value } : { fault: "is not a line of InfluxDB's line protocol" };
}

function readJson(line: string): ObjectLine {
  try {
    const value: unknown = JSON.parse(line);
    if (isObject(value) && !Array.isArray(value)) return { value };
    return { fault: IS_ARRAY };
  } catch {
    if (/^\s*\[/.test(line)) return { fault: IS_ARRAY };
    const labels = /^(\{.*\}) \S+ \d+$/.exec(line)?.[1]?.replace(/\S+ ?/g, '-,');
    if (labels === undefined)
      return { fault: 'is not a whole JSON object: put each object on a line of its own (jq -c .)' };
    return {
      fault: `is not JSON: choose columns by position, --columns ${labels}level,time --delimiter space`,
    };
  }
}

const isObject = (value: unknown): value is Members => typeof value === 'object' && value !== null;
const isRows = (value: unknown): value is unknown[] => Array.isArray(value) && value.length > MOST_MEMBERS;

/** @returns undefined if there is none. A member whose own name has dots comes first */
function memberOf(value: unknown, name: string): unknown {
  if (!isObject(value)) return undefined;
  if (Object.hasOwn(value, name)) return value[name];
  for (let dot = name.indexOf('.'); dot >= 0; dot = name.indexOf('.', dot + 1)) {
    const found = memberOf(value[name.slice(0, dot)], name.slice(dot + 1));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** How deep names of members lead. A line may nest thousands, and that many calls do not fit on the stack. */
const DEEPEST = 20;

/** The names of the members that are values, lists of rows, or as deep as names lead. */
export const leavesOf = (value: unknown, depth = 1): string[] =>
  Object.entries(Object(value)).flatMap(([name, member]) => {
    const isInner = depth < DEEPEST && isObject(member) && !isRows(member);
    const inner = isInner ? leavesOf(member, depth + 1) : [];
    return inner.length > 0 ? inner.map((leaf) => `${name}.${leaf}`) : [name];
  });

/** @returns '' for null, an object, or a missing member */
export function memberText(value: Members, name: string): string {
  const member = memberOf(value, name);
  return member === null || member === undefined || isObject(member) ? '' : String(member);
}

/** @returns why a member has no text; undefined if it is null, or if it is missing and not needed */
export function memberFault(value: Members, name: string, isNeeded: boolean, names: readonly string[]) {
  const [member, shown] = [memberOf(value, name), JSON.stringify(name)];
  if (isObject(member)) {
    const what = isRows(member)
      ? `a list of ${member.length}: write each on a line of its own, and import the lines: ${rowsByJq(member, name, names)}`
      : `${Array.isArray(member) ? 'a list' : 'an object'}: name one of its members instead, ${namesText(leavesOf(member).map((leaf) => `${name}.${leaf}`))}`;
    return { kind: `the member ${shown} is a list or an object`, fault: `its member ${shown} is ${what}` };
  }
  if (member !== undefined || !isNeeded) return undefined;
  return {
    kind: `there is no member ${shown}`,
    fault: `has no member ${shown}, only the members ${namesText(leavesOf(value))}: ${NAME_MEMBERS}, or skip such lines with --skip-bad`,
  };
}

/** @param names of the members to read, which may all be such lists */
function rowsByJq([row]: readonly unknown[], name: string, names: readonly string[]): string {
  const path = (of: string) => `.${of}`.replace(/\.(\d+)(?=\.|$)/g, '[$1]');
  if (isObject(row) && !Array.isArray(row)) return `jq -c '${path(name)}[]'`;
  const rows = isObject(row) ? `${path(name)}[]` : `[${names.map(path).join()}] | transpose[]`;
  return `jq -r '${rows} | @csv', with columns by position`;
}
