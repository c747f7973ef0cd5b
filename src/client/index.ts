// The typed client: every operation of the service as a function, with inferred inputs and outputs.
import { createTRPCClient, getFetch, splitLink, type TRPCClient } from '@trpc/client';
import type { inferRouterInputs, inferRouterOutputs } from '@trpc/server';
import type { AppRouter } from '../api/router.ts';
import { queryLinks } from './query-links.ts';
import { subscriptionLinks } from './subscription-links.ts';

export { type Follower, follow, type Point } from './follow.ts';
export { isServiceError, type ServiceError } from './service-error.ts';
export type { AppRouter };
/** What each operation takes, such as `Inputs['audio']['range']`. */
export type Inputs = inferRouterInputs<AppRouter>;
/** What each operation answers, such as `Outputs['stats']['summary']`. */
export type Outputs = inferRouterOutputs<AppRouter>;
/** The client that {@link createClient} returns. */
export type AudioMetricsClient = TRPCClient<AppRouter>;

export interface ClientOptions {
  /** The key of this caller, where the service asks for one. */
  readonly apiKey?: string | undefined;
  /** Headers for every request, such as an authorization for a proxy in front of the service. */
  readonly headers?: Record<string, string>;
  /** Used in place of the global `fetch`. */
  readonly fetch?: ReturnType<typeof getFetch>;
}

/**
 * Creates a client of a service. Calls made at the same moment share one request, and each has its answer as soon as
 * it is ready; a lone call goes at once. An export streams in its own request, and so does a subscription, which comes
 * back by itself after a cut.
 *
 * @param url where the service is, such as `http://127.0.0.1:3000`; `/trpc` or `/api/v1` may follow
 * @example
 * const client = createClient('http://127.0.0.1:3000');
 * const { points } = await client.audio.latest.query({ limit: 10 });
 */
export function createClient(url: string | URL, options: ClientOptions = {}): AudioMetricsClient {
  const { apiKey, headers } = options;
  const fetch: ReturnType<typeof getFetch> = (input, init) => getFetch(options.fetch)(input, init);
  const connection = {
    url: `${String(url).replace(/(\/(trpc|api\/v1))?\/*$/, '')}/trpc`,
    headers: { ...headers, ...(apiKey && { authorization: `Bearer ${apiKey}` }) },
    fetch,
  };
  return createTRPCClient<AppRouter>({
    links: [
      splitLink({
        condition: ({ type }) => type === 'subscription',
        true: subscriptionLinks(connection),
        false: queryLinks(connection),
      }),
    ],
  });
}
