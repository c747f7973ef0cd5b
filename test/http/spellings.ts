// Spellings of a path: some are the same target, and none may be taken for the target that it looks like.

const DECOYS = ['health.live', 'api/v1/health/live'];
const JOINS = '#/ # ?/ %23/ %2523/ ;/ ; %3b %3f/ / %2f %252f , %2c %252C %25252c %00 \\'.split(' ');
const COMMAS = [...', %2C %252C %25252C ， %ef%bc%8c %c0%ac ; %20 + &'.split(' ')];
const SLASHES =
  '// /./ /x/../ /%2e/ /%2e%2e/ /health.live/../ \\ %5c %c0%af %e0%80%af ／ %ef%bc%8f /;/ /#/ /%00/'.split(
    ' ',
  );
const ENDS = [
  ...'/ . %00 %0d%0a %20 + % %2 %zz %u0061 %00. .. # %c0%80 %e2%80%8b'.split(' '),
  '\0',
  '\t',
  '\u200b',
];
const ORIGINS =
  'http://localhost HTTPS://u:p@evil.example:1 http://a@b@c http:// http://evil.example? http://evil.example# ftp://localhost * //evil.example'.split(
    ' ',
  );
const ENCODED = [/[a-z]/, /[a-z]/g, /\./, /,/, /\/(?=[^/]*$)/, /(?!^)\//g, /stations|trpc|api/];

/** @returns a text with each of its characters percent-encoded, several times over */
function encoded(text: string, times: number): string {
  const once = Array.from(text, (each) => `%${each.charCodeAt(0).toString(16)}`).join('');
  return times === 1 ? once : once.replaceAll('%', `%${'25'.repeat(times - 1)}`);
}

const wide = (text: string) =>
  text.replace(/[!-~]/g, (each) => String.fromCharCode(each.charCodeAt(0) + 0xfee0));

export function* spellings(path: string): Generator<string> {
  const at = path.lastIndexOf('/') + 1;
  const [before, last] = [path.slice(0, at), path.slice(at)];
  yield* [path, path.toUpperCase(), `${before}${last.slice(0, 1).toUpperCase()}${last.slice(1)}`];
  for (const times of [1, 2, 3])
    for (const part of ENCODED) yield path.replace(part, (text) => encoded(text, times));
  for (const decoy of DECOYS) for (const join of JOINS) yield `${path}${join}${decoy}`;
  for (const decoy of ['health.live', 'stations.list'])
    for (const comma of COMMAS) yield `${before}${decoy}${comma}${last}`;
  for (const slash of SLASHES) yield* [`${before.slice(0, -1)}${slash}${last}`, path.replace('/', slash)];
  for (const end of ENDS) yield `${path}${end}`;
  for (const text of [wide(last), encodeURIComponent(wide(last)), last.replace('.', '%c0%ae')])
    yield `${before}${text}`;
  for (const origin of ORIGINS) yield `${origin}${path}`;
}
