// Where REST is, and the document that describes it.

/** Where REST is mounted. */
export const REST_PREFIX = '/api/v1';

export const DOCUMENT = `${REST_PREFIX}/openapi.json`;

/** On every answer of REST: the link to the document (RFC 8631, 4). */
export const SERVICE_DESC = `<${DOCUMENT}>; rel="service-desc"`;
