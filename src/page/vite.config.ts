// Builds the page, the reference and the manual into a folder of files, each also compressed, for the service.
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync, zstdCompressSync } from 'node:zlib';
import scalar from '@scalar/fastify-api-reference';
import Fastify from 'fastify';
import { defineConfig, type Rolldown } from 'vite';
import { manualPages } from './manual-pages.ts';

const OUT = join(import.meta.dirname, '../../dist-page');

/** The API reference's script, so large that Brotli's best quality would take 20 s. */
const REFERENCE = 'docs/scalar.js';

const COMPRESS = {
  zstd: (body: Buffer) => zstdCompressSync(body, { params: { [constants.ZSTD_c_compressionLevel]: 12 } }),
  br: (body: Buffer, path: string) =>
    brotliCompressSync(body, {
      params: { [constants.BROTLI_PARAM_QUALITY]: path.endsWith(REFERENCE) ? 9 : 11 },
    }),
  gzip: (body: Buffer) => gzipSync(body, { level: 9 }),
};

/** Reads the script of the API reference. Its package offers the script only as a plugin's route. */
async function readScalar(): Promise<Buffer> {
  const app = Fastify();
  await app.register(scalar, { routePrefix: '/docs', configuration: { url: '/' } });
  const { rawPayload } = await app.inject('/docs/js/scalar.js');
  await app.close();
  return rawPayload;
}

/** Writes compressed forms beside each file, with the coding as the last extension. */
function compressFiles(): void {
  for (const path of globSync(`${OUT}/**/*.*`)) {
    const body = readFileSync(path);
    for (const [coding, compress] of Object.entries(COMPRESS))
      writeFileSync(`${path}.${coding}`, compress(body, path));
  }
}

const rolldownOptions: Rolldown.RolldownOptions = {
  input: ['index.html', 'stations/index.html'].map((page) => join(import.meta.dirname, page)),
  // a chunk for each pair of scripts that share code would compress badly, and so does uPlot beside other code
  output: {
    codeSplitting: {
      groups: [
        { name: 'uplot', test: /uPlot\.esm/ },
        { name: 'shared', minShareCount: 2 },
      ],
    },
  },
  treeshake: {
    propertyReadSideEffects: false, // no getter of the page has side effects
    moduleSideEffects: [{ test: /@trpc\/client/, sideEffects: false }], // the package does not declare that itself
  },
};

export default defineConfig({
  root: import.meta.dirname,
  // Preact saves the reader 58 kB of React's renderer
  resolve: {
    alias: {
      'react-dom/client': 'preact/compat/client',
      'react-dom': 'preact/compat',
      'react/jsx-runtime': 'preact/jsx-runtime',
      react: 'preact/compat',
    },
  },
  base: './', // a proxy may serve the page below a path
  logLevel: 'error',
  build: {
    outDir: OUT,
    emptyOutDir: true,
    target: 'es2023',
    cssTarget: ['chrome125', 'firefox128', 'safari17.5'], // have light-dark()
    assetsInlineLimit: 0, // the policy of the page allows no inlined scripts
    modulePreload: { polyfill: false },
    rolldownOptions,
  },
  plugins: [
    {
      name: 'no preloads', // the dynamic imports, a language and the year, have no other files to load
      enforce: 'pre',
      load: (id) =>
        id === '\0vite/preload-helper.js' ? 'export const __vitePreload = (load) => load();' : undefined,
    },
    {
      name: 'reference and manual',
      async buildStart() {
        this.emitFile({ type: 'asset', fileName: REFERENCE, source: await readScalar() });
        for (const { path, html } of manualPages())
          this.emitFile({ type: 'asset', fileName: path, source: html });
      },
      closeBundle: compressFiles,
    },
  ],
});
