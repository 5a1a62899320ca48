import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { run } from '../../lab/runs/process.ts';
import { casesOf } from '../../lab/runs/thoroughness.ts';
import { waitLimit } from '../../lab/runs/wait-limit.ts';
import { mutants } from './mutants.ts';
import { replay } from './replay.ts';
import type { WalkOnKernel } from './run-on-kernel.ts';

/**
 * The helper's adapter on a real kernel, and its calls on a model of Linux. Where both send the same packets the same
 * way, the models of macOS and Windows, which are made alike and have no kernel here to be compared with, can be
 * believed.
 */

const all = Object.keys(mutants);
const names = casesOf({ usual: all.filter((_, index) => index % 2 === 0), all });
const program = path.resolve(import.meta.dirname, 'run-on-kernel.ts');
let walks: Map<string | undefined, WalkOnKernel>;

beforeAll(async () => {
  const printed = await run(['unshare', '--net', process.execPath, program, ...names], { timeout: 240_000 });
  const found = printed
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as WalkOnKernel);
  walks = new Map(found.map((walk) => [walk.mutant ?? undefined, walk]));
}, waitLimit(300_000));

function walkWith(mutant: string | undefined): WalkOnKernel {
  const found = walks.get(mutant);
  if (!found) throw new Error(`nothing was printed about ${mutant ?? 'the adapter as it is'}`);
  return found;
}

test('the kernel lets packets out, takes them into the tunnel and refuses them', () => {
  const { steps } = walkWith(undefined);
  const up = steps.find(({ name }) => name === 'the tunnel is up');
  expect([...new Set(up?.outcomes)].sort()).toEqual(['nowhere', 'tunnel', 'uplink']);
});

test('the model sends every packet where the kernel has sent it, and nothing leaks between two calls', () => {
  expect(replay(walkWith(undefined))).toEqual({ differences: [], findings: [] });
});

describe('an adapter with this mistake is noticed, and the model still agrees with the kernel', () => {
  test.each(names)('%s', (name) => {
    const { differences, findings } = replay(walkWith(name));
    expect(differences).toEqual([]);
    expect(findings).not.toEqual([]);
  });
});
