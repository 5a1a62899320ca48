import { findBrowser } from './linux/browsers.ts';
import { findInstalledPrograms } from './linux/installed-programs.ts';
import { createMatcher } from './linux/match-processes.ts';
import { createProcesses } from './linux/processes.ts';
import { realFile } from './linux/program-file.ts';
import { createIconFinder } from './linux/program-icons.ts';
import { startWaiting } from './linux/start-program.ts';
import type { SystemPrograms } from './programs-port.ts';

const linuxPrograms: SystemPrograms = {
  findInstalled: findInstalledPrograms,
  createIconFinder,
  createMatcher,
  realFile,
  createProcesses,
  startWaiting,
  findBrowser,
};

/** A system of whose programs nothing is known. */
const noPrograms: SystemPrograms = {
  findInstalled: () => Promise.resolve([]),
  createIconFinder: () => () => Promise.resolve(''),
  createMatcher: () => () => [],
  realFile: (file) => Promise.resolve(file),
  createProcesses: () => ({ read: () => [], reread: () => undefined }),
  startWaiting: () => Promise.resolve(undefined),
  findBrowser: () => Promise.resolve(undefined),
};

export const systemPrograms = (): SystemPrograms =>
  process.platform === 'linux' ? linuxPrograms : noPrograms;
