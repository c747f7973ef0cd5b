// Makes `dist` the client's package: writes its manifest, and copies its documents.
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';

const root = new URL('../../', import.meta.url);
const dist = new URL('dist/', root);
const { name, version, description, keywords, license, type, dependencies } = JSON.parse(
  readFileSync(new URL('package.json', root), 'utf8'),
);

const manifest = {
  name,
  version,
  description: `The typed client of Audio Metrics. ${description}`,
  keywords,
  license,
  type,
  exports: {
    '.': { types: './client/index.d.ts', default: './client/index.js' },
    './package.json': './package.json',
  },
  sideEffects: false,
  files: ['client/*.js', 'contract/batch-limits.js', '**/*.d.ts'],
  // peers: a frontend has its own, and types only fit in one version
  peerDependencies: { '@trpc/client': '^11', '@trpc/server': '^11' },
  dependencies: { eventsource: dependencies.eventsource },
};

writeFileSync(new URL('package.json', dist), `${JSON.stringify(manifest, null, 2)}\n`);
copyFileSync(new URL('LICENSE', root), new URL('LICENSE', dist));
copyFileSync(new URL('README.md', import.meta.url), new URL('README.md', dist));
