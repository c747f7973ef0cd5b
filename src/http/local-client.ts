// A typed client of the service in its own process: calls the router without HTTP.
import { createTRPCClient, localLink, retryLink, type TRPCClient } from '@trpc/client';
import type { FastifyBaseLogger } from 'fastify';
import { publicError } from '../errors.ts';
import type { Context } from '../operations/context.ts';
import { type AppRouter, appRouter } from '../operations/router.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** A client of a station that needs no key and has no limits. It fails if there is no such station. */
    clientOf(station: string): TRPCClient<AppRouter>;
  }
}

/** The wait before a subscription that could not begin, or broke off, begins again. */
const RETRY_MS = 2000;

/** @param createContext called for each call. The call's own signal replaces that of the context */
export function createLocalClient(
  createContext: () => Promise<Context>,
  log: FastifyBaseLogger,
): TRPCClient<AppRouter> {
  return createTRPCClient<AppRouter>({
    links: [
      retryLink({ retry: ({ op }) => op.type === 'subscription', retryDelayMs: () => RETRY_MS }),
      localLink({
        router: appRouter,
        createContext,
        onError: ({ error, path }) => {
          const shown = publicError(error);
          if (shown.status === 500) log.error({ operation: path, err: shown.cause ?? shown }, shown.message);
        },
      }),
    ],
  });
}
