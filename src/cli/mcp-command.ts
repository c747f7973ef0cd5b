// The `mcp` command: the tools of a running service, for assistants that start a program and speak to it by its standard
// input and output. It is a client of the service over REST. Only the protocol goes to standard output.
import { Command } from 'commander';
import { createConnection } from '../client/connection.ts';
import { reasonOf } from '../database/unreachable-reason.ts';
import type { ToolAnswer } from '../http/mcp/tool-server.ts';
import { assertHttp } from '../notify/notify-options.ts';
import type { Route } from '../operations/internals/routes.ts';
import type { Environment } from './environment.ts';

/** The longest wait for an answer. */
const TIMEOUT_MS = 60_000;

export function mcpCommand(environment: () => Environment): Command {
  const command = new Command('mcp')
    .description(
      'Offers the queries of a running service as tools to an assistant, by the Model Context Protocol on standard input ' +
        'and output. API_KEY is its key. Run it as `npm run --silent mcp`: npm must not print.',
    )
    .argument(
      '[url]',
      'the service, or one of its stations: an http or https address',
      'http://127.0.0.1:3000',
    );
  return command.action(async (url: string) => {
    assertHttp('url', url, command);
    const { config, version } = environment();
    const { serveStdio } = await import('@modelcontextprotocol/server/stdio');
    const { createToolServer } = await import('../http/mcp/tool-server.ts');
    serveStdio(() => createToolServer(version, answerFrom(url, config.API_KEY)));
  });
}

function answerFrom(url: string, apiKey: string | undefined) {
  const { restUrl, headers } = createConnection(url, { apiKey });
  return async ({ path }: Route, input: object): Promise<ToolAnswer> => {
    const query = Object.entries(input).map(([name, value]): [string, string] => [name, String(value)]);
    try {
      const answer = await fetch(`${restUrl}${path}?${new URLSearchParams(query)}`, {
        headers,
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      return { text: await answer.text(), isError: !answer.ok };
    } catch (error) {
      return { text: `The service at ${url} gives no answer: ${reasonOf(error)}`, isError: true };
    }
  };
}
