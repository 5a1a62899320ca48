import { defineConfig } from 'drizzle-kit';

export default defineConfig({
  dialect: 'postgresql',
  schema: './src/service/database/schema/*.ts',
  out: './src/service/database/migrations',
  casing: 'snake_case',
});
