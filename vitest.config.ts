import { availableParallelism } from 'node:os';
import { configDefaults, defineConfig } from 'vitest/config';
import { concerningEngines, engines } from './tests/helper/support/engines.ts';
import { isExhaustive } from './tests/lab/runs/thoroughness.ts';

const project = (name: string, options: object = {}) => ({
  extends: true as const,
  test: {
    name,
    include: [`tests/${name}/**/*.test.{ts,tsx}`],
    exclude: [...configDefaults.exclude, ...(isExhaustive ? [] : ['**/*.all.test.ts'])],
    ...options,
  },
});

/**
 * Each file builds its own network namespaces and spends most of its time waiting for them. What is exhaustive takes
 * three times as long, and computes for an eighth of that: with two it takes 70 minutes where nothing else runs.
 */
const helperWorkers = isExhaustive ? 4 : 2;

export default defineConfig({
  test: {
    // What has been transformed is kept from run to run.
    fsModuleCache: true,
    fsModuleCachePath: 'out/vitest-cache',
    // One that was left in would leave out everything beside it, in silence.
    allowOnly: false,
    // Starting a process and its imports for each file takes two seconds of processor time, in about 220 files. Tests
    // leave nothing behind in their process: whoever replaces timers, globals or spies restores them.
    isolate: false,
    // Sets the limits on waiting, which depend on the machine's load.
    setupFiles: ['./tests/lab/runs/vitest-setup.ts'],
    projects: [
      // With two processors, Vitest would use one worker; a third of these tests wait for other programs.
      project('unit', { maxWorkers: Math.max(2, availableParallelism() - 1) }),
      project('service', {
        globalSetup: [
          './tests/service/postgresql-server.ts',
          './tests/service/scratch-directory.ts',
          './tests/lab/runs/programs.ts',
        ],
        // Many wait for processes and mails. In `npm test`, all other runners run at the same time.
        maxWorkers: process.env['WAYMAKER_RUNNER'] === undefined ? 3 : 2,
      }),
      project('helper', { globalSetup: './tests/lab/runs/programs.ts', maxWorkers: helperWorkers }),
      // With the other engine than there.
      ...(isExhaustive
        ? engines.map((other) =>
            project(`helper-${other}`, {
              include: engines
                .filter((engine) => engine !== other)
                .flatMap((engine) => concerningEngines[engine])
                .map((file) => `tests/helper/${file}`),
              env: { WAYMAKER_TEST_ENGINE: other },
              globalSetup: './tests/lab/runs/programs.ts',
              maxWorkers: helperWorkers,
            }),
          )
        : []),
    ],
  },
});
