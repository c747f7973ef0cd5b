// The address of the service, derived from the page's address, even below a path.

/** Ends without a slash. The list of stations is a folder below its service. */
export const serviceUrl = () =>
  new URL(/\/stations\/$/.test(location.pathname) ? '..' : '.', location.href).href.slice(0, -1);

/** The address of all stations: the page of a station is two folders below it. */
export const rootUrl = () => serviceUrl().replace(/\/stations\/[a-z][a-z0-9_]*$/, '');

/** The station of the page; undefined for the default one. */
export const stationHere = (path = location.pathname): string | undefined =>
  /\/stations\/([a-z][a-z0-9_]*)\/$/.exec(path)?.[1];

/** The title of a page: its place, or else its station. */
export const pageTitle = (info: { readonly place_name: string | null } | undefined): string =>
  info?.place_name ?? stationHere() ?? 'Audio Metrics';
