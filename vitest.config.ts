import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    globalSetup: ['test/databases.ts'],
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
});
