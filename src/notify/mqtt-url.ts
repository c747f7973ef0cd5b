// The URL of an MQTT broker, such as mqtts://user:password@host/prefix.

const PATH = /^\/?(?:([\w-]{1,40})\/?)?$/;

/** @returns what is wrong with the URL of a broker, without repeating the URL */
export function mqttProblem(url: URL): string | undefined {
  if (!['mqtt:', 'mqtts:'].includes(url.protocol)) return 'it must begin with mqtt:// or mqtts://';
  if (url.hostname === '') return 'it must name the host of the broker, such as mqtt://user:password@host';
  if (url.search !== '' || url.hash !== '')
    return 'it must not have a query or a fragment: write ? and # as %3F and %23 in the password';
  if (!PATH.test(url.pathname))
    return 'its path, the prefix of the topics, must be up to 40 letters, digits, _ and -';
  if (prefixOf(url) === 'homeassistant')
    return 'homeassistant is the prefix of Home Assistant itself: name another one';
  if (url.password !== '' && url.username === '') return 'it has a password, so it also needs a user';
  try {
    serverOf(url);
  } catch {
    return 'its user and password must be percent-encoded: write % as %25';
  }
  return undefined;
}

/** The prefix of all topics except discovery topics. */
export const prefixOf = ({ pathname }: URL) => PATH.exec(pathname)?.[1] ?? 'audio-metrics';

/** @returns options for MQTT.js, which knows the default ports */
export const serverOf = ({ protocol, hostname, port, username, password }: URL) => ({
  protocol: protocol === 'mqtts:' ? ('mqtts' as const) : ('mqtt' as const),
  host: hostname.replace(/^\[|\]$/g, ''),
  ...(port !== '' && { port: Number(port) }),
  ...(username !== '' && { username: decodeURIComponent(username) }),
  ...(password !== '' && { password: decodeURIComponent(password) }),
});
