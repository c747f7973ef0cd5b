// Tells when WebAssembly broke off in the middle of a statement. PGlite swallows that, and answers with no rows.
//
// Relies on PGlite 0.5.16: `Module._PostgresMainLoopOnce` runs a statement, and throws an error whose status is 100
// where PostgreSQL itself refused it.
import type { PGlite } from '@electric-sql/pglite';

const REFUSED = 100;

/** @param onFault called before the statement is answered; what the session answers from then on is wrong */
export function watchFaults({ Module }: PGlite, onFault: (fault: unknown) => void): void {
  const run = Module._PostgresMainLoopOnce;
  Module._PostgresMainLoopOnce = () => {
    try {
      run();
    } catch (error) {
      const isRefused =
        typeof error === 'object' && error !== null && 'status' in error && error.status === REFUSED;
      if (!isRefused) onFault(error);
      throw error;
    }
  };
}
