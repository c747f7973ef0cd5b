// The typed client: every operation of the service as a function, with inferred inputs and outputs.
import { createTRPCClient, splitLink, type TRPCClient } from '@trpc/client';
import type { inferRouterInputs, inferRouterOutputs } from '@trpc/server';
import type { AppRouter } from '../operations/router.ts';
import { type ClientOptions, createConnection, queryLinks } from './connection.ts';
import { liveLink } from './live-link.ts';

/** The package also exports the types of each operation, such as `SummaryInput` and its answer `Summary`. */
export type * from '../operations/router.ts';
export type { ClientOptions } from './connection.ts';
export { type Follower, type FollowOptions, follow, type LivePoint as Point } from './follow.ts';
export { isServiceError, type ServiceError } from './service-error.ts';
export type { AppRouter };
/** The input of each operation, such as `Inputs['audio']['range']`. */
export type Inputs = inferRouterInputs<AppRouter>;
/** The answer of each operation, such as `Outputs['stats']['summary']`. */
export type Outputs = inferRouterOutputs<AppRouter>;
/** The client that {@link createClient} returns. */
export type AudioMetricsClient = TRPCClient<AppRouter>;

/**
 * Creates a client of a service. Calls made at the same moment share one request, and each resolves as soon as its
 * answer is ready. An export or a subscription streams in its own request. A subscription reconnects by itself after a
 * lost connection.
 *
 * @param url the address of the service, such as `http://127.0.0.1:3000`, with or without `/trpc` or `/api/v1`
 * @example
 * const client = createClient('http://127.0.0.1:3000');
 * const { points } = await client.audio.latest.query({ limit: 10 });
 */
export function createClient(url: string | URL, options: ClientOptions = {}): AudioMetricsClient {
  const connection = createConnection(url, options);
  return createTRPCClient<AppRouter>({
    links: [
      splitLink({
        condition: ({ type }) => type === 'subscription',
        true: liveLink(connection),
        false: queryLinks(connection),
      }),
    ],
  });
}
