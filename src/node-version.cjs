// Refuses a Node.js too old to run the project, and an installation that lacks native parts because it ran on one.
// Without this check, an older Node.js only reports the unknown ending `.ts`, and the bundler a missing binding.
const { existsSync, readdirSync } = require('node:fs');
const { join } = require('node:path');

const NEEDED = 24;

/** Bindings of the bundler, by platform. npm installs the one of this machine, and says nothing if it does not. */
const bindings = join(__dirname, '../node_modules/@rolldown');

function refuse(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

// without development dependencies there is no bundler
if (existsSync(bindings) && !readdirSync(bindings).some((name) => name.startsWith('binding-')))
  refuse(
    'npm left out the native part of the bundler, which it installs only on Node.js 20.19+ or 22.12+: run `npx -y -p node@24 npm ci`.',
  );

if (Number.parseInt(process.versions.node, 10) < NEEDED)
  refuse(
    `Audio Metrics needs Node.js ${NEEDED} or newer, not ${process.version}: \`npm ci\` brings it unless scripts are ignored, and so does \`npm rebuild node --ignore-scripts=false\`.`,
  );
