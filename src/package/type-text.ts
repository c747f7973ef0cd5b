// Writes JSON Schemas as TypeScript, with their descriptions as comments for editors.
import type { z } from 'zod';

export type JsonSchema = z.core.JSONSchema.BaseSchema;
type Part = JsonSchema | boolean;

type Words = (field: JsonSchema) => string | undefined;

/** @returns a type by name, such as `export type Point = { … };` */
export const declarationText = (name: string, schema: JsonSchema, words: Words): string =>
  `${comment(schema.description)}export type ${name} = ${typeText(schema, words)};\n`;

export const typeName = (reference = ''): string => reference.replace('#/$defs/', '');

/** @returns a type such as `string | null`, or the name of a type */
export function typeText(schema: JsonSchema, words: Words): string {
  if (schema.$ref !== undefined) return typeName(schema.$ref);
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum && schema.type === 'string')
    return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  if (schema.anyOf) return schema.anyOf.map((each) => typeText(each, words)).join(' | ');
  if (Array.isArray(schema.type))
    return schema.type.map((type) => typeText({ ...schema, type }, words)).join(' | ');
  switch (schema.type) {
    case 'integer':
      return 'number';
    case 'string':
    case 'number':
    case 'boolean':
    case 'null':
      return schema.type;
    case 'array':
      return `Array<${typeText(whole(schema.items), words)}>`;
    case 'object':
      return membersText(schema, words);
  }
  throw new Error(`There is no TypeScript type for ${JSON.stringify(schema)}`);
}

/** An object without members becomes an empty record, as zod infers it. */
function membersText({ properties = {}, required = [] }: JsonSchema, words: Words): string {
  const members = Object.entries(properties).map(([name, each]) => {
    const schema = whole(each);
    const type = typeText(schema, words);
    const said = comment(words(schema));
    return said + (required.includes(name) ? `${name}: ${type};` : `${name}?: ${type} | undefined;`);
  });
  return members.length > 0 ? block(members) : 'Record<string, never>';
}

export const block = (members: readonly string[]): string => `{\n${members.join('\n')}\n}`;

/** A Markdown comment. Backticks keep `<n>` from reading as a tag. */
export function comment(text: string | undefined): string {
  if (!text) return '';
  const lines = text
    .replaceAll('*/', '*\\/')
    .replace(/[^\s`]*<[^\s`]*>/g, '`$&`')
    .split('\n');
  if (lines.length === 1) return `/** ${lines[0]} */\n`;
  return `/**\n${lines.map((line) => ` * ${line}`.trimEnd()).join('\n')}\n */\n`;
}

function whole(schema: Part | Part[] | undefined): JsonSchema {
  if (typeof schema !== 'object' || Array.isArray(schema)) throw new Error('A schema has no type');
  return schema;
}
