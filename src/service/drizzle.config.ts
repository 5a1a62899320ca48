import { defineConfig } from 'drizzle-kit';

export default defineConfig({
  dialect: 'postgresql',
  schema: './src/service/schema.ts',
  out: './src/service/migrations',
  casing: 'snake_case',
});
