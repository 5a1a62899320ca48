import { spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { z } from 'zod';
import { root } from '../e2e/support/host/paths.ts';
import { median, spread, type Row } from './row.ts';

/** A line of history.jsonl: one run of the benchmarks, with the ratio and the noise of each row that it measured. */
const runSchema = z.object({
  date: z.iso.datetime(),
  /** With `+` if files had been changed since. */
  commit: z.string(),
  /** Ratios of different machines are not compared. */
  machine: z.string(),
  rows: z.record(z.string(), z.tuple([z.number(), z.number()])),
});

export type Run = z.infer<typeof runSchema>;

/** As many runs as a new one is compared with. */
const maxCompared = 7;
/** Smaller changes of a ratio are not worth a line, and fixed figures have no noise at all. */
const minDrift = 0.02;

const file = path.join(import.meta.dirname, 'history.jsonl');

export function readHistory(): Run[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
  return lines.map((line) => runSchema.parse(JSON.parse(line)));
}

export function appendToHistory(run: Run): void {
  appendFileSync(file, `${JSON.stringify(run)}\n`);
}

export function createRun(rows: readonly Row[]): Run {
  const decimals = (value: number) => Number(value.toFixed(3));
  return {
    date: new Date().toISOString(),
    commit: commit(),
    machine: machineKind(),
    rows: Object.fromEntries(
      rows.map(({ name, ratio, noise }) => [name, [decimals(ratio), decimals(noise)]]),
    ),
  };
}

/** What is no longer as it was in the last runs on the same kind of machine, by more than both sides' noise. */
export function driftOf(run: Run, history: readonly Run[]): string[] {
  const former = history.filter(({ machine }) => machine === run.machine);
  return Object.entries(run.rows).flatMap(([name, [ratio, noise]]) => {
    const known = former.flatMap(({ rows }) => (rows[name] ? [rows[name]] : [])).slice(-maxCompared);
    if (known.length === 0) return [];
    const ratios = known.map(([formerRatio]) => formerRatio);
    const usual = median(ratios);
    const usualNoise = Math.max(median(known.map(([, formerNoise]) => formerNoise)), 2 * spread(ratios));
    if (Math.abs(ratio - usual) <= Math.max(Math.hypot(noise, usualNoise), minDrift)) return [];
    const now = `${ratio.toFixed(2)} ± ${noise.toFixed(2)}`;
    return [`${name}: ${now}; before ${usual.toFixed(2)} ± ${usualNoise.toFixed(2)} (runs: ${known.length})`];
  });
}

function machineKind(): string {
  const { model = 'unknown processor' } = os.cpus()[0] ?? {};
  return `${os.availableParallelism()} cores, ${model.trim()}, ${os.type()} ${os.release()}`;
}

function commit(): string {
  const git = (...args: string[]) =>
    spawnSync('git', args, { cwd: root, encoding: 'utf8' }).stdout?.trim() ?? '';
  const changed = git('status', '--porcelain', '--untracked-files=no', '--', '.', `:!${file}`) !== '';
  return (git('rev-parse', '--short', 'HEAD') || 'unknown') + (changed ? '+' : '');
}
