import { defineConfig } from 'vitest/config';

const project = (name: string, options: object = {}) => ({
  extends: true as const,
  test: { name, include: [`tests/${name}/**/*.test.{ts,tsx}`], ...options },
});

export default defineConfig({
  test: {
    // A second, as by default, is little for what other processes do on a busy machine.
    expect: { poll: { timeout: 15_000 } },
    projects: [
      // Property tests make thousands of connections.
      project('unit', { testTimeout: 30_000 }),
      project('service', {
        testTimeout: 20_000,
        globalSetup: ['./tests/service/postgresql-server.ts', './tests/service/scratch-directory.ts'],
        hookTimeout: 60_000,
      }),
      // Each file builds network namespaces of its own; two cores do not bear more than one at a time.
      project('helper', { testTimeout: 60_000, hookTimeout: 60_000, fileParallelism: false }),
    ],
  },
});
