// Words for the reference: descriptions of the contract as sentences with names in code.

/** Names of the API: fields and parameters of several words, operations, options and variables. */
const NAME =
  /(?<![\w./-])(?:--[a-z]+(?:-[a-z]+)*|[A-Za-z]\w*(?:_\w+)+|(?:audio|stats|events|export|service|health)\.[a-z]+)(?![\w/])/g;

/** @returns a description as Markdown: clauses as sentences, names in code, and a full stop at its end */
export function sentencesOf(description: string): string {
  return description.split('; ').map(sentenceOf).join(' ');
}

/** @returns the text as Markdown that begins and ends as a sentence does, with names in code */
export function sentenceOf(text: string): string {
  return `${inCode(capitalised(text.replace(/\.$/, '')))}.`;
}

function capitalised(clause: string): string {
  const isName = /^[\w.`(]*[_.`(]/.test(clause.split(' ')[0] ?? '');
  return isName ? clause : clause.charAt(0).toUpperCase() + clause.slice(1);
}

/** What stands in backticks already stays as it is. */
function inCode(text: string): string {
  return text
    .split('`')
    .map((part, place) => (place % 2 === 0 ? part.replace(NAME, '`$&`') : part))
    .join('`');
}

/** JSON over several lines, where what fits a line stands on one. */
export function jsonOf(value: unknown, indent = ''): string {
  const flat = JSON.stringify(value);
  if (indent.length + flat.length <= 100 || typeof value !== 'object' || value === null) return flat;
  const inner = `${indent}  `;
  const parts = Array.isArray(value)
    ? value.map((each) => jsonOf(each, inner))
    : Object.entries(value).map(([name, each]) => `${JSON.stringify(name)}: ${jsonOf(each, inner)}`);
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  return `${open}\n${parts.map((part) => `${inner}${part}`).join(',\n')}\n${indent}${close}`;
}
