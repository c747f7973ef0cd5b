// nginx as deploy/ha configures it, in front of services that a test or a benchmark started.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from './cluster.ts';
import { configuration, ownFolder, startProgram } from './program.ts';

export interface Nginx {
  readonly url: string;
  stop(): Promise<void>;
}

/**
 * @param path the program
 * @param services three addresses such as `http://127.0.0.1:3000`, which may be the same
 * @param options.north the address of another server's service, with the stations garden and street
 */
export async function startNginx(
  path: string,
  services: readonly [string, string, string],
  { sharedCache, north }: { sharedCache: boolean; north?: string },
): Promise<Nginx> {
  const folder = ownFolder();
  const port = await freePort();
  const file = (name: string) => join(folder.path, name);
  const below = `${folder.path}/`;
  if (sharedCache)
    writeFileSync(file('shared-cache.conf'), configuration('shared-cache.conf', { '/tmp/': below }));
  if (north !== undefined)
    writeFileSync(
      file('more-servers.conf'),
      configuration('more-servers.conf', { 'north1:3000': new URL(north).host }),
    );
  const text = configuration('nginx.conf', {
    '/tmp/': below,
    '/etc/nginx/': below,
    'listen 8080': `listen 127.0.0.1:${port}`,
    ...Object.fromEntries(services.map((url, i) => [`service${i + 1}:3000`, new URL(url).host])),
  });
  writeFileSync(file('nginx.conf'), text);
  return runNginx(path, folder, port);
}

/** nginx creates these folders even if it does not use them. */
const TEMPORARY = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  .map((name) => `${name}_temp_path ${name};`)
  .join(' ');

/** A proxy with a service below a path, as `location PATH { proxy_pass http://service/; }` configures it. */
export async function startNginxBelow(program: string, path: string, service: string): Promise<Nginx> {
  const folder = ownFolder();
  const port = await freePort();
  const text = `pid nginx.pid; events {} http { access_log off; ${TEMPORARY} proxy_buffering off; proxy_http_version 1.1;
    server { listen 127.0.0.1:${port}; location ${path} { proxy_pass ${service}/; } } }`;
  writeFileSync(join(folder.path, 'nginx.conf'), text);
  return runNginx(program, folder, port);
}

async function runNginx(path: string, folder: ReturnType<typeof ownFolder>, port: number): Promise<Nginx> {
  const args = [
    '-c',
    join(folder.path, 'nginx.conf'),
    '-p',
    folder.path,
    '-e',
    'stderr',
    '-g',
    'daemon off;',
  ];
  const nginx = startProgram(path, args, { ...folder, last: 'SIGTERM' });
  const url = `http://127.0.0.1:${port}`;
  for (let attempt = 0; nginx.isRunning() && attempt < 100; attempt++) {
    const answered = await fetch(url).then(
      (response) => response.arrayBuffer(),
      () => undefined,
    );
    if (answered) break;
    await sleep(50);
  }
  if (!nginx.isRunning()) {
    folder.remove();
    throw new Error(`nginx did not start: ${nginx.output()}`);
  }
  return {
    url,
    async stop() {
      await nginx.end('SIGTERM');
      folder.remove();
    },
  };
}
