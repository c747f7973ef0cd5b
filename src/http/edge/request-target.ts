// The target of a request: where it asks.

/**
 * @returns the path and query of a request's target: of one in absolute form (RFC 9112, 3.2.2), which a caller
 *   may send to any server, without the host that it names
 */
export function targetOf({ url = '/' }: { url?: string | undefined }): string {
  if (url.startsWith('/')) return url;
  const found = /^https?:\/\/[^/?#]+([/?][^#]*)?$/i.exec(url);
  if (!found) return url;
  const [, rest = '/'] = found;
  return rest.startsWith('?') ? `/${rest}` : rest;
}
