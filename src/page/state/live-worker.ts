// The worker that all tabs of a browser share: one stream of new points for each API key, while a tab wants it.
import { createTRPCClient, httpLink, splitLink } from '@trpc/client';
import { createConnection } from '../../client/connection.ts';
import type { AppRouter } from '../../client/index.ts';
import { liveLink } from '../../client/live-link.ts';
import { createLiveFeed, type LiveFeed } from './live-feed.ts';
import { MOST_UNANSWERED, WISH_EVERY_MS, type Wish } from './live-wish.ts';
import { serviceUrl } from './service-url.ts';

const feeds = new Map<string | undefined, LiveFeed>();

function feedOf(apiKey: string | undefined): LiveFeed {
  const feed = feeds.get(apiKey) ?? createLiveFeed(clientOf(apiKey));
  feeds.set(apiKey, feed);
  return feed;
}

/** Without batches, which a feed does not need: the script is a seventh smaller. */
function clientOf(apiKey: string | undefined) {
  const connection = createConnection(serviceUrl(), { apiKey });
  return createTRPCClient<AppRouter>({
    links: [
      splitLink({
        condition: ({ type }) => type === 'subscription',
        true: liveLink(connection),
        false: httpLink(connection),
      }),
    ],
  });
}

function serve(port: MessagePort): void {
  let served: { readonly feed: LiveFeed; readonly leave: () => void } | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const end = () => {
    clearTimeout(timer);
    served?.leave();
    served = undefined;
  };
  port.onmessage = ({ data: wish }: MessageEvent<Wish>) => {
    if (!wish) return end();
    clearTimeout(timer);
    timer = setTimeout(end, MOST_UNANSWERED * WISH_EVERY_MS); // the tab is gone, or asleep: then it wishes again
    if (served) return port.postMessage(served.feed.status());
    const feed = feedOf(wish.apiKey);
    served = { feed, leave: feed.listen((news) => port.postMessage(news)) };
  };
  port.addEventListener('close', end); // not every browser tells
}

// a shared worker is told of each tab, one of a tab alone gets its port
for (const type of ['connect', 'message'])
  addEventListener(type, (event) => {
    if (event instanceof MessageEvent) for (const port of event.ports) serve(port);
  });
