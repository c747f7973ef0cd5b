// Says which Node.js is needed, where an older one would only say that it does not know the ending `.ts`.
const NEEDED = 24;

if (Number.parseInt(process.versions.node, 10) < NEEDED) {
  process.stderr.write(
    `Audio Metrics needs Node.js ${NEEDED} or newer, not ${process.version}: \`npm ci\` brings it unless scripts are ignored, and so does \`npm rebuild node --ignore-scripts=false\`.\n`,
  );
  process.exit(1);
}
