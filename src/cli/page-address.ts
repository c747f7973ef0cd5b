// Chooses the address of the page for links in messages, from the configuration.
import { networkInterfaces } from 'node:os';
import type { Config } from './config.ts';

const EVERYWHERE = ['0.0.0.0', '::'];

/** @param address at which the service listens */
export function pageAddress({ HOST, ALLOWED_HOSTS, TRUST_PROXY }: Config, address: string): string {
  const [name] = ALLOWED_HOSTS ?? [];
  const url = new URL(address);
  if (name !== undefined && TRUST_PROXY) return `https://${name}`;
  const own = name ?? (EVERYWHERE.includes(HOST) ? addressInNetwork() : undefined);
  if (own !== undefined) url.hostname = own;
  return url.origin;
}

const addressInNetwork = (): string | undefined =>
  Object.values(networkInterfaces())
    .flat()
    .find((each) => each?.family === 'IPv4' && !each.internal)?.address;
