import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { runnerNames, type RunnerName } from './checks.ts';
import { closureOf, readImportGraph, type ImportGraph } from './import-graph.ts';

/** The test files of each runner that a change concerns. */
export interface Concerned {
  /** The files that were changed since the branch left its upstream, committed or not. */
  changed: readonly string[];
  /** Why everything is concerned, if so. */
  everything: string | undefined;
  files: Record<RunnerName, readonly string[]>;
  /** How many test files each runner has. */
  all: Record<RunnerName, number>;
}

/** The programs that a runner's tests start rather than import, and what its pages are made of. */
const programs: Record<RunnerName, readonly string[]> = {
  unit: [],
  service: ['src/service/index.ts', 'src/service/wordgate-process.ts'],
  helper: ['helper/index.ts', 'helper/posix/start-proxy.ts'],
  e2e: [
    'src/main/electron/index.ts',
    'src/main/daemon.ts',
    'src/main/cli/index.ts',
    'src/preload/index.ts',
    'src/renderer/main.tsx',
    'src/service/index.ts',
    'helper/index.ts',
    'helper/posix/start-proxy.ts',
  ],
};

const isTestOf = (runner: RunnerName, file: string) =>
  file.startsWith(`tests/${runner}/`) && /\.(?:test|spec)\.tsx?$/.test(file);

export function concernedBy(root: string, changed: readonly string[]): Concerned {
  const tracked = git(root, ['ls-files']);
  const graph = readImportGraph(root, tracked);
  const all = (runner: RunnerName) => tracked.filter((file) => isTestOf(runner, file));
  const odd = changed.find((file) => !graph.has(file) && !file.endsWith('.md'));
  const concernedFiles = (runner: RunnerName): readonly string[] => {
    if (odd !== undefined || programs[runner].some((entry) => reaches(graph, entry, changed)))
      return all(runner);
    // Documents are read by tests of their own.
    const readsDocuments = (file: string) =>
      changed.some((one) => one.endsWith('.md')) && file.startsWith('tests/unit/docs/');
    return all(runner).filter((file) => readsDocuments(file) || reaches(graph, file, changed));
  };
  return {
    changed,
    everything: odd,
    files: byRunner(concernedFiles),
    all: byRunner((runner) => all(runner).length),
  };
}

/**
 * The files that were changed or added in this clone since `base`; the branch's upstream, or its last commit, if that
 * is not given.
 */
export function changedFiles(root: string, base?: string): string[] {
  const since = base ?? upstream(root) ?? 'HEAD';
  const changed = git(root, ['diff', '--name-only', '--diff-filter=d', '--merge-base', since]);
  return [...new Set([...changed, ...git(root, ['ls-files', '--others', '--exclude-standard'])])];
}

function reaches(graph: ImportGraph, entry: string, changed: readonly string[]): boolean {
  const closure = closureOf(graph, entry);
  return changed.some((file) => closure.has(file));
}

function upstream(root: string): string | undefined {
  try {
    return git(root, ['rev-parse', '--verify', '--quiet', '@{upstream}'])[0];
  } catch {
    return undefined;
  }
}

const byRunner = <Value>(valueOf: (runner: RunnerName) => Value) =>
  Object.fromEntries(runnerNames.map((runner) => [runner, valueOf(runner)])) as Record<RunnerName, Value>;

function git(root: string, words: readonly string[]): string[] {
  const output = execFileSync('git', ['-C', path.resolve(root), ...words], {
    encoding: 'utf8',
    maxBuffer: 16 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return output.split('\n').filter(Boolean);
}
