// An API call as code to copy: its address, a curl command, and TypeScript.
import type { ApiCall } from '../state/api-queries.ts';
import { serviceUrl } from '../state/service-url.ts';

export function addressOf({ operation, input }: ApiCall): string {
  const values = Object.entries(input).map(([name, value]) => [name, String(value)]);
  const query = new URLSearchParams(values).toString().replaceAll('%3A', ':'); // keeps times readable
  return `${serviceUrl()}/api/v1/${operation.replace('.', '/')}${query && `?${query}`}`;
}

export function asCurl(call: ApiCall, hasKey: boolean): string {
  return `curl ${hasKey ? '-H "Authorization: Bearer $API_KEY" ' : ''}'${addressOf(call)}'`;
}

export function asTypeScript({ operation, input }: ApiCall, hasKey: boolean): string {
  const options = hasKey ? `, { apiKey: 'YOUR KEY' }` : '';
  const argument = JSON.stringify(input, null, 2)
    .replace(/"(\w+)":/g, '$1:')
    .replaceAll('"', "'");
  return `import { createClient } from 'audio-metrics';

const client = createClient('${serviceUrl()}'${options});
const answer = await client.${operation}.query(${argument});
`;
}
