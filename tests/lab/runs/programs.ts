import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Plugin } from 'vite';
import type { TestProject } from 'vitest/node';
import { notBundled } from '../../../packaging/linux/core-bundles.ts';
import { native } from '../../../scripts/build-helper.ts';
import { keeperVariable, removeKeptLabs } from '../machine/registry.ts';
import { bundleProgram } from '../../../scripts/bundle-program.ts';

const root = path.resolve(import.meta.dirname, '../../..');

/**
 * Programs that the tests of a runner start again and again: the source, relative to the root, and the bundle's name.
 */
const helperPrograms = {
  'helper/index.ts': 'helper.mjs',
  // The helper expects them next to itself.
  'helper/posix/start-proxy.ts': 'proxy.mjs',
  'helper/posix/start-engine.ts': 'engine.mjs',
  'tests/lab/network/far-side.ts': 'far-side.mjs',
  'tests/lab/probes/probe-stream.ts': 'probe-stream.mjs',
};
const programs = {
  helper: {
    ...helperPrograms,
    'src/main/cli/index.ts': 'cli.js',
    // The command line expects it next to itself.
    'src/main/way-out/script/script-thread.ts': 'script-thread.js',
    'helper/windows/set-up-service.ts': 'set-up-service.mjs',
    'helper/windows/start-engine.ts': 'windows-engine.mjs',
    'helper/windows/start-proxy.ts': 'windows-proxy.mjs',
    'tests/helper/windows/proxy-host-driver.ts': 'proxy-host-driver.mjs',
    'tests/helper/windows/engine-driver.ts': 'engine-driver.mjs',
    'tests/helper/windows/proxy-driver.ts': 'proxy-driver.mjs',
    'tests/helper/windows/service-driver.ts': 'service-driver.mjs',
    'tests/helper/windows/networks-driver.ts': 'networks-driver.mjs',
    'tests/helper/windows/system-driver.ts': 'system-driver.mjs',
    'tests/helper/windows/installer/installer-driver.ts': 'installer-driver.mjs',
    'tests/helper/windows/tun-relay.ts': 'tun-relay.mjs',
    'tests/helper/support/sign-in/sign-in-process.ts': 'sign-in.mjs',
    'tests/helper/support/sign-in/connect-process.ts': 'connect.mjs',
    'tests/helper/support/installed/doctor-ways.ts': 'doctor-ways.mjs',
    // Preloaded into helpers and self-tests.
    'tests/helper/support/failures/clock-set-by-file.ts': 'clock-set-by-file.mjs',
    'tests/helper/support/failures/endless-back-off.ts': 'endless-back-off.mjs',
    'tests/helper/support/deaths/dies-at-change.ts': 'dies-at-change.mjs',
    'tests/helper/support/failures/failing-nftables.ts': 'failing-nftables.mjs',
    'tests/helper/support/failures/memory-on-signal.ts': 'memory-on-signal.mjs',
    'tests/helper/support/self-test/slower-clock.ts': 'slower-clock.mjs',
  },
  service: { 'src/service/index.ts': 'service.mjs', 'src/service/wordgate-process.ts': 'wordgate.mjs' },
  e2e: {
    ...helperPrograms,
    'tests/e2e/support/service/service-process.ts': 'service.mjs',
    // The built app with its packages, and Electron's double, which finds the latter beside it.
    'out/main/index.js': 'app.mjs',
    'tests/stand-in/register.ts': 'register.mjs',
    'tests/stand-in/electron/electron.ts': 'electron.mjs',
  },
};
type Runner = keyof typeof programs;

/**
 * Those that the build makes too; in `npm test` it has just done so. Helper tests bundle them once more: what they
 * preload into a helper changes the package of native calls that is installed here, and a built helper has its own.
 */
const builtFor = (runner: Runner): Readonly<Record<string, string>> =>
  runner === 'helper' || process.env['WAYMAKER_RUNNER'] === undefined
    ? {}
    : {
        'helper/index.ts': 'out/helper/helper.mjs',
        'helper/posix/start-proxy.ts': 'out/helper/proxy.mjs',
        'helper/posix/start-engine.ts': 'out/helper/engine.mjs',
      };

/** Packages with binaries, or with files of their own; and Electron, which the double stands in for. */
const external = [...native, '@electric-sql/pglite', 'electron', 'keytar', 'dbus-native'];

/** As it is packaged, beside nothing but what is native. */
const externalOf = (entry: string) => (entry.startsWith('src/main/') ? notBundled : external);

/**
 * The service finds its migrations and the console relative to its sources, and the app its pages relative to its
 * build.
 */
const sourceDirectories: Plugin = {
  name: 'source-directories',
  transform: (code, id) =>
    ['src/service', 'out/main'].some((folder) => id.startsWith(path.join(root, folder)))
      ? code.replaceAll('import.meta.dirname', JSON.stringify(path.dirname(id)))
      : null,
};

const variable = 'WAYMAKER_TEST_PROGRAMS';

/**
 * The file to run for a program, given by its source relative to the root: its bundle in a test run, otherwise the
 * source.
 */
export function programFile(source: string): string {
  const bundles = JSON.parse(process.env[variable] ?? '{}') as Record<string, string>;
  return bundles[source] ?? path.join(root, source);
}

/**
 * Bundles the programs of a test run, which starts up to a thousand of them; starting them from source takes most of
 * its time. Workers, which start later, find them through the environment.
 */
export async function bundlePrograms(runner: Runner): Promise<void> {
  const folder = path.join(root, 'out/test-programs', runner);
  await mkdir(folder, { recursive: true });
  const made = await mkdtemp(path.join(folder, 'new-'));
  const built = builtFor(runner);
  const bundles = Object.entries(programs[runner]).filter(([entry]) => built[entry] === undefined);
  await Promise.all(
    bundles.map(async ([entry, name]) => {
      const file = path.join(made, name);
      await bundleProgram({ entry, file, external: externalOf(entry), plugins: [sourceDirectories] });
      // Atomically, because another run of this checkout may be starting it.
      await rename(file, path.join(folder, name));
    }),
  );
  await rm(made, { recursive: true });
  process.env[variable] = JSON.stringify(
    Object.fromEntries([
      ...bundles.map(([entry, name]) => [entry, path.join(folder, name)]),
      ...Object.entries(built).map(([entry, file]) => [entry, path.join(root, file)]),
    ]),
  );
}

/** Vitest's global setup for the projects with these names. */
export default async function setup({ name }: TestProject): Promise<() => Promise<void>> {
  // The projects for another engine start the same programs.
  const runner = name.split('-')[0] as Runner;
  await bundlePrograms(runner);
  const keeper = String(process.pid);
  if (runner === 'helper') process.env[keeperVariable] = keeper;
  return () => removeKeptLabs(keeper);
}
