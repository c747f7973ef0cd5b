// Compares two OpenAPI documents, and names the changes that break clients of the first.

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
}
interface Operation {
  readonly parameters?: readonly { in: string; name: string; required?: boolean; schema: Schema }[];
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { schema?: Schema }>> }>
  >;
}
export interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components?: { readonly schemas?: Readonly<Record<string, Schema>> };
}

/** @returns the removed or stricter parts by name; [] if every client still works */
export function incompatibleChanges(before: ApiDocument, after: ApiDocument): string[] {
  return Object.entries(before.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, old]) => {
      const operation = after.paths[path]?.[method];
      const name = `${method.toUpperCase()} ${path}`;
      return operation
        ? [...ofInput(name, old, operation), ...ofOutput(name, old, operation)]
        : [`${name} went`];
    }),
  );

  function ofInput(name: string, old: Operation, operation: Operation): string[] {
    const parameters = new Map(operation.parameters?.map((each) => [`${each.in} ${each.name}`, each]));
    const known = new Map(old.parameters?.map((each) => [`${each.in} ${each.name}`, each]));
    const demanded = [...parameters].filter(([key, { required }]) => required && !known.get(key)?.required);
    return [
      ...demanded.map(([, parameter]) => `${name}: parameter ${parameter.name} became required`),
      ...[...known].flatMap(([key, { name: parameterName, schema }]) => {
        const found = parameters.get(key);
        const where = `${name}: parameter ${parameterName}`;
        return found ? ofSchema(where, schema, found.schema, 'input') : [`${where} went`];
      }),
    ];
  }

  function ofOutput(name: string, old: Operation, operation: Operation): string[] {
    return Object.entries(old.responses).flatMap(([status, { content = {} }]) => {
      const response = operation.responses[status];
      if (!response) return [`${name}: status ${status} went`];
      return Object.entries(content).flatMap(([type, { schema = {} }]) => {
        const where = `${name}: ${status} ${type}`;
        const found = response.content?.[type];
        return found ? ofSchema(where, schema, found.schema ?? {}, 'output') : [`${where} went`];
      });
    });
  }

  function ofSchema(where: string, old: Schema, schema: Schema, side: 'input' | 'output'): string[] {
    const [were, are] = [variants(before, old), variants(after, schema)];
    const [types, others] = side === 'input' ? [were, are] : [are, were];
    const changed = [...types.keys()].find((type) => !others.has(type) && others.size > 0);
    if (changed !== undefined)
      return [
        `${where}: the type was ${[...were.keys()].join(' or ')}, and is ${[...are.keys()].join(' or ')}`,
      ];
    return [...were].flatMap(([type, olds]) =>
      olds.flatMap((one, index) => {
        const now = are.get(type)?.[index];
        if (!now) return [];
        return side === 'input' ? narrowed(where, one, now) : thinned(where, one, now);
      }),
    );
  }

  function narrowed(where: string, old: Schema, schema: Schema): string[] {
    const gone = schema.enum
      ? (old.enum ?? ['any other value']).filter((value) => !schema.enum?.includes(value))
      : [];
    const { minimum = -Infinity, maximum = Infinity } = schema;
    const isNarrower = minimum > (old.minimum ?? -Infinity) || maximum < (old.maximum ?? Infinity);
    return [
      ...gone.map((value) => `${where}: ${value} went`),
      ...(isNarrower ? [`${where}: the bounds are narrower`] : []),
      ...(old.default === schema.default ? [] : [`${where}: the default was ${old.default}`]),
    ];
  }

  function thinned(where: string, old: Schema, schema: Schema): string[] {
    const items = old.items && schema.items ? ofSchema(`${where}[]`, old.items, schema.items, 'output') : [];
    const fields = Object.entries(old.properties ?? {}).flatMap(([field, was]) => {
      const found = schema.properties?.[field];
      if (!found) return [`${where}: field ${field} went`];
      const isLess = old.required?.includes(field) && !schema.required?.includes(field);
      const may = isLess ? [`${where}: field ${field} may be left out`] : [];
      return [...may, ...ofSchema(`${where}: field ${field}`, was, found, 'output')];
    });
    return [...items, ...fields];
  }
}

/** @returns the allowed values by type; empty if anything is allowed */
function variants(document: ApiDocument, schema: Schema): Map<string, Schema[]> {
  const { $ref, anyOf } = schema;
  const named = $ref && document.components?.schemas?.[$ref.replace('#/components/schemas/', '')];
  if (named) return variants(document, named);
  const all = new Map<string, Schema[]>();
  const add = (type: string, some: Schema[]) => all.set(type, [...(all.get(type) ?? []), ...some]);
  for (const each of anyOf ?? []) for (const [type, some] of variants(document, each)) add(type, some);
  for (const type of [schema.type ?? []].flat()) add(type, [schema]);
  return all;
}
