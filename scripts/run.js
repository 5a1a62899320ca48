// The entry of every npm command. Plain JavaScript for the Node that the machine has (20 or later): it sets
// the machine up, then runs the task on the Node of package.json, the major that Electron embeds.
import { spawn } from 'node:child_process';
import path from 'node:path';
import { installDebianPackages, installNpmPackages, unpackDebianPackages } from './setup.js';

const tasks = {
  start: { script: 'start.ts', needsDebianPackages: false },
  test: { script: 'test.ts', needsDebianPackages: true },
  soak: { script: '../tests/soak/index.ts', needsDebianPackages: true },
  bench: { script: '../tests/bench/index.ts', needsDebianPackages: true },
  dev: { script: 'dev.ts', needsDebianPackages: false },
  build: { script: 'build.ts', needsDebianPackages: false },
  screenshots: { script: '../tests/e2e/screenshots.ts', needsDebianPackages: true },
};

const [name = '', ...rest] = process.argv.slice(2);
const task = Object.hasOwn(tasks, name) ? tasks[name] : undefined;
if (!task) {
  console.error(`usage: node scripts/run.js ${Object.keys(tasks).join(' | ')}`);
  process.exit(2);
}

installNpmPackages();
if (name !== 'build' && !installDebianPackages() && task.needsDebianPackages) process.exit(1);
if (name === 'test') unpackDebianPackages();

const bin = path.resolve(import.meta.dirname, '../node_modules/.bin');
const child = spawn(path.join(bin, 'node'), [path.join(import.meta.dirname, task.script), ...rest], {
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
