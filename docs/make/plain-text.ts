// Formats text for the reference: turns descriptions of the contract into sentences with names in code.

/** Names in the API: operations, options, variables, and multi-word fields and parameters. */
const NAME =
  /(?<![\w./-])(?:--[a-z]+(?:-[a-z]+)*|[A-Za-z]\w*(?:_\w+)+|(?:audio|stats|events|export|service|health)\.[a-z]+)(?![\w/])/g;

/** @returns a description as Markdown: clauses as sentences, names in code, and a full stop at its end */
export function sentencesOf(description: string): string {
  return description.split('; ').map(sentenceOf).join(' ');
}

/** @returns the text as one sentence of Markdown, with names in code */
export function sentenceOf(text: string): string {
  return `${inCode(capitalised(text.replace(/\.$/, '')))}.`;
}

function capitalised(clause: string): string {
  const isName = /^[\w.`(]*[_.`(]/.test(clause.split(' ')[0] ?? '');
  return isName ? clause : clause.charAt(0).toUpperCase() + clause.slice(1);
}

/** Leaves text that is already in backticks unchanged. */
function inCode(text: string): string {
  return text
    .split('`')
    .map((part, place) => (place % 2 === 0 ? part.replace(NAME, '`$&`') : part))
    .join('`');
}

/** Formats JSON over several lines, and keeps a value on one line if it fits. */
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
