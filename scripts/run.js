// The entry point of every npm command. Plain JavaScript for the installed Node (20.11 or later): it sets the machine
// up, then runs the task with the Node in package.json, the major version that Electron embeds.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import path from 'node:path';

const tasks = {
  start: { script: 'start.ts', needsDebianPackages: false },
  test: { script: 'test.ts', needsDebianPackages: true },
  soak: { script: '../tests/soak/index.ts', needsDebianPackages: true },
  peers: { script: '../tests/peers/index.ts', needsDebianPackages: true },
  bench: { script: '../tests/bench/index.ts', needsDebianPackages: true },
  dev: { script: 'dev.ts', needsDebianPackages: false },
  build: { script: 'build.ts', needsDebianPackages: false },
  package: { script: '../packaging/index.ts', needsDebianPackages: false },
  screenshots: { script: '../tests/e2e/screenshots/screenshots.ts', needsDebianPackages: true },
};
/** Checks of `npm test` that only need npm packages. */
const plainChecks = ['format', 'lint', 'build'];

const [name = '', ...rest] = process.argv.slice(2);
const task = Object.hasOwn(tasks, name) ? tasks[name] : undefined;
if (!task) {
  console.error(`usage: node scripts/run.js ${Object.keys(tasks).join(' | ')}`);
  process.exit(2);
}

const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 11)) {
  console.error(
    `Node ${process.versions.node} is too old: install Node 20.11 or later, https://nodejs.org/en/download`,
  );
  process.exit(1);
}
// Imported here, because these modules need a Node that is new enough.
const { installDebianPackages, installNpmPackages, unpackDebianPackages } = await import('./setup.js');
const { giveBack, whatIsNotOurs } = await import('./ownership.js');
const { isOnlyStart } = await import('./only-start.js');

const scripts = path.dirname(fileURLToPath(import.meta.url));
const root = path.resolve(scripts, '..');
if (name === 'start' && !(await isOnlyStart(root))) {
  console.error('`npm start` already runs in this clone: end that with Ctrl-C, or start from another clone.');
  process.exit(1);
}
const trouble = whatIsNotOurs(root);
if (trouble !== undefined) {
  console.error(trouble);
  process.exit(1);
}
giveBack(root);
process.on('exit', () => giveBack(root));

const isPlain =
  name === 'build' ||
  (name === 'test' && rest.length > 0 && rest.every((word) => plainChecks.includes(word)));
const npmPackages = installNpmPackages();
// As root both at once, which saves a minute. Others are only told what is missing: after what npm has to say.
if (process.getuid?.() !== 0) await npmPackages;
const hasDebianPackages = isPlain || (await installDebianPackages(task.needsDebianPackages));
// Before anything ends here, because an installation must not be cut off.
if (!(await npmPackages) || (!hasDebianPackages && task.needsDebianPackages))
  process.exit(process.exitCode ?? 1);
if ((name === 'test' && !isPlain) || name === 'peers') {
  const { unpackNewestOcserv, unpackPeers } = await import('./later-debian.js');
  if (name === 'test') {
    await unpackDebianPackages();
    unpackNewestOcserv();
    const { unpackDarwinHeaders } = await import('./darwin-headers.js');
    unpackDarwinHeaders();
    // Only exhaustive tests need it.
    if (rest.includes('all')) (await import('./wine-tree.js')).unpackWine();
  } else if (!unpackPeers()) process.exit(1);
}

const bin = path.join(root, 'node_modules/.bin');
const child = spawn(path.join(bin, 'node'), [path.join(scripts, task.script), ...rest], {
  stdio: 'inherit',
  env: { ...process.env, PATH: `${bin}${path.delimiter}${process.env.PATH}` },
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
child.on('error', (error) => {
  console.error(`could not start Node from node_modules: ${error.message}`);
  process.exitCode = 1;
});
child.on('exit', (code, signal) => {
  process.exitCode = code ?? (signal ? 1 : 0);
});
