// Reads a line of InfluxDB's line protocol: `measurement,tag=value field=value,field=value time`.

/** Up to the next of these characters, unless a backslash precedes it. */
const upTo = (ends: string) => `(?:\\\\.|[^${ends}\\\\])+`;
const KEY = upTo(' ,=');
const TAG = `,(${KEY})=(${upTo(' ,=')})`;
const FIELD = `(${KEY})=("(?:\\\\.|[^"\\\\])*"|[^" ,]+)`;
const LINE = new RegExp(`^(${upTo(' ,')})((?:${TAG})*) (${FIELD}(?:,${FIELD})*)(?: (-?\\d{1,19}))?$`);
const [TAGS, FIELDS] = [new RegExp(TAG, 'g'), new RegExp(`${FIELD}(?:,|$)`, 'g')];

const bare = (text: string) => text.replace(/\\(.)/g, '$1');
/** Without quotation marks, and without the mark of an integer. */
const fieldOf = (text: string) =>
  text.startsWith('"') ? bare(text.slice(1, -1)) : text.replace(/^(-?\d+)[iu]$/, '$1');

/**
 * @returns the tags and fields by name, `measurement`, and `time` if the line has one: a count since 1970, by default of
 *   nanoseconds. Undefined if it is not such a line
 */
export function readLineProtocol(line: string): Record<string, string> | undefined {
  const [, measurement = '', tags = '', , , fields = '', ...rest] = LINE.exec(line) ?? [];
  if (fields === '') return undefined;
  const time = rest.at(-1);
  const pairs = (text: string, pattern: RegExp, read: (text: string) => string) =>
    Array.from(text.matchAll(pattern), ([, name = '', value = '']) => [bare(name), read(value)] as const);
  return {
    measurement: bare(measurement),
    ...Object.fromEntries([...pairs(tags, TAGS, bare), ...pairs(fields, FIELDS, fieldOf)]),
    ...(time !== undefined && { time }),
  };
}
