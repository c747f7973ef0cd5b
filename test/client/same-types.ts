// Compares the types of the packed client and of the service's router exactly. Compiling is the test: in
// package.test.ts, the first two imports resolve to the package and to the source.
import type { inferRouterError, inferRouterInputs, inferRouterOutputs } from '@trpc/server';
import type { AppRouter as Declared } from '../../src/client/index.ts';
import type { AppRouter as Inferred } from '../../src/operations/router.ts';

// identical, and assignable both ways: identity alone accepts `x?: T` for `x?: T | undefined`
type Equal<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2
    ? [A, B] extends [B, A]
      ? true
      : false
    : false;
/** Whether both types are the same, for each procedure of each group. */
type Compared<A, B> = {
  [Group in keyof A & keyof B]: {
    [Name in keyof A[Group] & keyof B[Group]]: Equal<A[Group][Name], B[Group][Name]>;
  };
};
/** The kind of each procedure: query or subscription. */
type Kinds<Groups> = {
  [Group in keyof Groups]: {
    [Name in keyof Groups[Group]]: Groups[Group][Name] extends { _def: { type: infer Type } } ? Type : never;
  };
};
type Same<Facts extends { [Group in keyof Facts]: { [Name in keyof Facts[Group]]: true } }> = Facts;

export type Facts = [
  Same<Compared<inferRouterInputs<Declared>, inferRouterInputs<Inferred>>>,
  Same<Compared<inferRouterOutputs<Declared>, inferRouterOutputs<Inferred>>>,
  Same<{
    every: {
      procedure: Equal<Kinds<Declared['_def']['record']>, Kinds<Inferred['_def']['record']>>;
      error: Equal<inferRouterError<Declared>, inferRouterError<Inferred>>;
    };
  }>,
];
