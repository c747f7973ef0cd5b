// A request of each operation, made from its contract: the required parameters, and nothing else.
import { z } from 'zod';
import { routes } from '../../src/operations/internals/routes.ts';

export interface GenericRequest {
  readonly name: string;
  readonly input: Readonly<Record<string, string>>;
  /** On REST, with the query. */
  readonly path: string;
}

/**
 * For each query but probes. A required parameter that is not `given` has the example of its contract.
 *
 * @throws if a required parameter is neither given nor has an example
 */
export function genericRequests(given: Readonly<Record<string, string>>): GenericRequest[] {
  const queries = [...routes.values()].filter(({ isStream, isProbe }) => !isStream && !isProbe);
  return queries.map(({ name, path, input: schema }) => {
    const { properties = {}, required = [] } = z.toJSONSchema(schema, { io: 'input' });
    const values = required.map((parameter): [string, string] => {
      const { examples: [example] = [] } = Object(properties[parameter]);
      const value = given[parameter] ?? example;
      if (value === undefined) throw new Error(`${name} needs ${parameter}, which has no example`);
      return [parameter, `${value}`];
    });
    const input = Object.fromEntries(values);
    return { name, input, path: `${path}?${new URLSearchParams(input)}` };
  });
}
