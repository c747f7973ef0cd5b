// The address of the service, for the page and its worker.

/** The address that the page is at, which may be below a path; the script of a worker is in a folder there. */
export const serviceUrl = () =>
  new URL(typeof document === 'undefined' ? '..' : '.', location.href).href.slice(0, -1);
