// Recognises addresses that only programs on this machine can reach.

/** @param host a name or an address; that of a URL has brackets around IPv6 */
export const isLoopback = (host: string): boolean =>
  /^(?:localhost|(?:::ffff:)?127(?:\.\d{1,3}){3}|::1|\[::1\])$/i.test(host);
