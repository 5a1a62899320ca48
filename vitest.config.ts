import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

const project = (name: string, options: object = {}) => ({
  extends: true as const,
  test: { name, include: [`tests/${name}/**/*.test.{ts,tsx}`], ...options },
});

export default defineConfig({
  test: {
    // Once in `npm test`, which names what needed it at its end: machines that run all of it at once are busy ones.
    retry: process.env['WAYMAKER_RUNNER'] === undefined ? 0 : 1,
    // Starting a process and its imports for each file is two seconds of a processor, in some 220 files. No test
    // leaves anything behind in its process: timers, globals and spies are restored by whoever replaced them.
    isolate: false,
    // Has the limits on waiting, which follow the machine's load.
    setupFiles: ['./tests/lab/vitest-setup.ts'],
    projects: [
      // Where there are two processors, Vitest would take one; a third of these tests waits for other programs.
      project('unit', { maxWorkers: Math.max(2, availableParallelism() - 1) }),
      project('service', {
        globalSetup: [
          './tests/service/postgresql-server.ts',
          './tests/service/scratch-directory.ts',
          './tests/lab/programs.ts',
        ],
        // Many wait for processes and mails. In `npm test` all other runners are beside it.
        maxWorkers: process.env['WAYMAKER_RUNNER'] === undefined ? 3 : 2,
      }),
      // Each file builds network namespaces of its own, and mostly waits for them.
      project('helper', { globalSetup: './tests/lab/programs.ts', maxWorkers: 3 }),
    ],
  },
});
