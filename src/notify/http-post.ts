// Posts to a receiver on the web. A 2xx status means that the receiver has accepted the message.
import querystring from 'node:querystring';

const TIMEOUT_MS = 30_000;

/**
 * @param url its credentials are sent as `Authorization: Basic`, unless `headers` has an authorization
 * @throws Error with the reason if the message was not accepted. The reason contains no part of the URL except the host
 */
export async function post(
  url: URL,
  headers: Readonly<Record<string, string>>,
  body: string,
  signal: AbortSignal,
): Promise<void> {
  const { target, basic } = withoutCredentials(url);
  const response = await fetch(target, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...basic, ...headers },
    body,
    redirect: 'manual', // a redirect could send the message and its signature to anyone
    signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
  }).catch((error: Error) => {
    throw signal.aborted ? error : new Error(reasonOf(error));
  });
  await response.body?.cancel().catch(() => {}); // the body is not used
  if (response.ok) return;
  const { status } = response;
  const isRedirect = status >= 300 && status < 400;
  throw new Error(`it answered ${status}${isRedirect ? ', and redirects are not followed' : ''}`);
}

/** `fetch` refuses a URL with credentials (Fetch, 5.4). */
function withoutCredentials(url: URL) {
  const target = new URL(url);
  target.username = '';
  target.password = '';
  if (url.username === '' && url.password === '') return { target, basic: {} };
  // unlike decodeURIComponent, keeps a lone %
  const credentials = [url.username, url.password].map(querystring.unescape).join(':');
  return { target, basic: { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` } };
}

/** Quotes only the cause of a failed fetch: the message of the error itself may contain the URL. */
function reasonOf({ name, cause }: Error): string {
  if (name === 'TimeoutError') return `it did not answer within ${TIMEOUT_MS / 1000} s`;
  if (!(cause instanceof Error)) return 'it cannot be reached';
  return cause.message || String(Reflect.get(cause, 'code')); // a cause with several addresses has no message
}
