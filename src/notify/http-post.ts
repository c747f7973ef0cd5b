// One POST to a receiver on the web, which has taken it if it answers 2xx.
import querystring from 'node:querystring';

const TIMEOUT_MS = 30_000;

/**
 * @param url its credentials are sent as `Authorization: Basic`, unless the headers hold another
 * @throws Error with the reason if it was not taken. The reason holds no more of the URL than its host
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
    redirect: 'manual', // it might lead the message, and its signature, to anyone
    signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
  }).catch((error: Error) => {
    throw signal.aborted ? error : new Error(reasonOf(error));
  });
  await response.body?.cancel().catch(() => {}); // what it says is not read, nor kept
  if (response.ok) return;
  const { status } = response;
  const isRedirect = status >= 300 && status < 400;
  throw new Error(`it answered ${status}${isRedirect ? ', and redirects are not followed' : ''}`);
}

/** Fetch takes no URL with credentials (Fetch, 5.4). */
function withoutCredentials(url: URL) {
  const target = new URL(url);
  target.username = '';
  target.password = '';
  if (url.username === '' && url.password === '') return { target, basic: {} };
  // unlike decodeURIComponent, takes a lone % as it is
  const credentials = [url.username, url.password].map(querystring.unescape).join(':');
  return { target, basic: { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` } };
}

/** Of a failed fetch the cause alone: another message may quote what it was given. */
function reasonOf({ name, cause }: Error): string {
  if (name === 'TimeoutError') return `it did not answer within ${TIMEOUT_MS / 1000} s`;
  if (!(cause instanceof Error)) return 'it cannot be reached';
  return cause.message || String(Reflect.get(cause, 'code')); // that of several addresses has no message
}
