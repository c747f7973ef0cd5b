// Builds the page into a folder that the service serves.
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  root: at('.'),
  publicDir: false,
  logLevel: 'error',
  build: {
    outDir: at('../../dist-page'),
    emptyOutDir: true,
    target: 'es2023',
    assetsInlineLimit: 0, // the policy of the page allows no inlined scripts
    modulePreload: { polyfill: false },
  },
});
