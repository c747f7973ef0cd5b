// The URL of an MQTT broker to send messages to, such as mqtts://user:password@host/prefix.
import { brokerProblem } from '../commands/mqtt-broker.ts';

const PATH = /^\/?(?:([\w-]{1,40})\/?)?$/;

/** @returns what is wrong with the URL of a broker, without repeating the URL */
export function mqttProblem(url: URL): string | undefined {
  const problem = brokerProblem(url);
  if (problem !== undefined) return problem;
  if (!PATH.test(url.pathname))
    return 'its path, the prefix of the topics, must be up to 40 letters, digits, _ and -';
  if (prefixOf(url) === 'homeassistant')
    return 'homeassistant is the prefix of Home Assistant itself: name another one';
  return undefined;
}

/** The prefix of all topics except discovery topics. */
export const prefixOf = ({ pathname }: URL) => PATH.exec(pathname)?.[1] ?? 'audio-metrics';
