import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { runnerNames, type RunnerName } from './checks.ts';
import { closureOf, isCode, readImportGraph, type ImportGraph } from './import-graph.ts';

/** The test files of each runner that a change concerns. */
export interface Concerned {
  /** The files that were changed since the branch left its upstream, committed or not. */
  changed: readonly string[];
  /** Why everything is concerned, if so. */
  everything: string | undefined;
  files: Record<RunnerName, readonly string[]>;
  /** How many test files each runner has. */
  all: Record<RunnerName, number>;
  /** How many files a change concerns that only `npm test -- all` runs. */
  leftToAll: Record<RunnerName, number>;
}

/** The programs that a runner's tests start rather than import, and what its pages are made of. */
const programs: Record<RunnerName, readonly string[]> = {
  unit: [],
  service: ['src/service/index.ts', 'src/service/wordgate-process.ts'],
  helper: ['helper/index.ts', 'helper/posix/start-proxy.ts', 'helper/posix/start-engine.ts'],
  e2e: [
    'src/main/electron/index.ts',
    'src/main/daemon.ts',
    'src/main/cli/index.ts',
    'src/preload/index.ts',
    'src/renderer/main.tsx',
    'src/renderer/offline/workers/service-worker.ts',
    'src/renderer/offline/workers/withdrawn-service-worker.ts',
    'src/service/index.ts',
    'helper/index.ts',
    'helper/posix/start-proxy.ts',
    'helper/posix/start-engine.ts',
  ],
};

const isTestOf = (runner: RunnerName, file: string) =>
  file.startsWith(`tests/${runner}/`) && /\.(?:test|spec)\.tsx?$/.test(file);
/** See `exclude` and `testIgnore` of the runners' configurations. */
const isOfAll = (file: string) => /\.all\.(?:test|spec)\.tsx?$/.test(file);

/** `isExhaustive`: whether those files are to run, too, that only `npm test -- all` runs. */
export function concernedBy(
  root: string,
  changed: readonly string[],
  { isExhaustive = false } = {},
): Concerned {
  const tracked = git(root, ['ls-files']).filter((file) => existsSync(path.join(root, file)));
  const graph = readImportGraph(root, tracked, changed);
  const tests = byRunner((runner) => tracked.filter((file) => isTestOf(runner, file)));
  const known = new Set([...Object.values(tests), ...Object.values(programs)].flat());
  const reached = new Set([...known].flatMap((entry) => [...closureOf(graph, entry)]));
  // What is started in a way that is not known may be used by any test.
  const isOdd = (file: string) => !file.endsWith('.md') && !reached.has(file) && !isGone(file);
  const isGone = (file: string) => isCode(file) && !graph.has(file);
  const odd = changed.find(isOdd);
  const concernedFiles = (runner: RunnerName): readonly string[] => {
    if (odd !== undefined || programs[runner].some((entry) => reaches(graph, entry, changed)))
      return tests[runner];
    // Documents are read by tests of their own.
    const readsDocuments = (file: string) =>
      changed.some((one) => one.endsWith('.md')) && file.startsWith('tests/unit/docs/');
    return tests[runner].filter((file) => readsDocuments(file) || reaches(graph, file, changed));
  };
  const concerned = byRunner(concernedFiles);
  const runs = (file: string) => isExhaustive || !isOfAll(file);
  return {
    changed,
    everything: odd,
    files: byRunner((runner) => concerned[runner].filter(runs)),
    all: byRunner((runner) => tests[runner].filter(runs).length),
    leftToAll: byRunner((runner) => concerned[runner].filter((file) => !runs(file)).length),
  };
}

/**
 * The files that were changed, added or removed in this clone since `base`; the branch's upstream, or its last commit, if that
 * is not given.
 */
export function changedFiles(root: string, base?: string): string[] {
  const since = base ?? upstream(root) ?? 'HEAD';
  const changed = git(root, ['diff', '--name-only', '--no-renames', '--merge-base', since]);
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
