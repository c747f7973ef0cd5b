// The address of an interval on the page; src/page/state/view-in-address.ts reads it.

const [LEAST_MS, MOST_MS] = [60_000, 300_000];

/**
 * @param page the address of the service, such as `https://example.com/audio/`
 * @param station the path of the station below `page`, such as `/` or `/stations/garden/`
 * @returns the address of the station's page. An interval gets a margin of half its length, from 1 to 5 minutes
 */
export function linkTo(page: string, station: string, from?: string, to?: string): string {
  const link = new URL(`.${station}`, page.endsWith('/') ? page : `${page}/`);
  if (from === undefined || to === undefined) return link.href;
  const [start, end] = [Date.parse(from), Date.parse(to)];
  const margin = Math.min(Math.max((end - start) / 2, LEAST_MS), MOST_MS);
  const [first, last] = [start - margin, end + margin].map(
    (ms) => `${new Date(ms).toISOString().slice(0, 19)}Z`,
  );
  link.search = `from=${first}&to=${last}&live=off`;
  return link.href;
}
