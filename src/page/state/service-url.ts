// The address of the service, which may be below a path: that of the page.

/** Ends without a slash. The list of stations is a folder below the service that it lists. */
export const serviceUrl = () =>
  new URL(/\/stations\/$/.test(location.pathname) ? '..' : '.', location.href).href.slice(0, -1);

/** That of all stations: the page of one is two folders below it. */
export const rootUrl = () => serviceUrl().replace(/\/stations\/[a-z][a-z0-9_]*$/, '');

/** The station of the page; undefined for the default one. */
export function stationHere(): string | undefined {
  const [, station] = /\/stations\/([a-z][a-z0-9_]*)\/$/.exec(location.pathname) ?? [];
  return station;
}

/** What a page is called: by its place, or else by its station. */
export const nameOfPlace = (info: { readonly place_name: string | null } | undefined): string =>
  info?.place_name ?? stationHere() ?? 'Audio Metrics';
