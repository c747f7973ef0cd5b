// Caching: what may be kept, the tag of a body, and whether a caller already has it.
import { hash } from 'node:crypto';
import type { Coding } from './compression.ts';

/**
 * For data. Its caller may keep it, and must ask before each use if it is still so: points arrive late and
 * rows are deleted, so no interval is ever certain not to change.
 */
export const REVALIDATED = 'private, no-cache';

/** For what is the same for everyone until the next version: the OpenAPI document. */
export const REVALIDATED_BY_ANYONE = 'no-cache';

/** For health, errors, and streams, which have no tag. */
export const NOT_STORED = 'no-store';

/** The strong tag of an answer. It stands for the bytes that are sent, so each coding has a tag of its own. */
export function entityTag(body: string | Buffer, coding: Coding | undefined): string {
  const digest = hash('sha256', body, 'base64url').slice(0, 22);
  return coding ? `"${digest}-${coding}"` : `"${digest}"`;
}

/** @returns whether an If-None-Match header holds `tag`: the caller then has what would be sent. */
export function isKnown(tag: string, header: string | undefined): boolean {
  if (!header) return false;
  const known: readonly string[] = header.match(/"[^"]*"/g) ?? [];
  return header.trim() === '*' || known.includes(tag);
}
