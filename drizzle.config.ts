import { defineConfig } from 'drizzle-kit';

export default defineConfig({ dialect: 'postgresql', schema: './drizzle/tables.cjs', out: './drizzle' });
