import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { eventually, run } from '../../lab/runs/process.ts';
import { programFile } from '../../lab/runs/programs.ts';
import { checksOf, selfTestArgv, withTime } from '../support/self-test/self-test-run.ts';
import { startServing, type Serving } from '../support/self-test/serving.ts';
import { createTwoMachines, networkAddresses, type TwoMachines } from '../support/self-test/two-machines.ts';

/** However a self-test on a computer's own network ends, the network is as it was. */

let machines: TwoMachines;
let serving: Serving;
beforeEach(async () => {
  machines = await createTwoMachines();
  serving = await startServing(machines.serving);
});
afterEach(() => machines?.[Symbol.asyncDispose]());

const argv = (...more: string[]) => selfTestArgv(programFile('src/main/cli/index.ts'), ...more);
const against = ['--against', networkAddresses.serving, '--yes', '--engine', 'own'];

/**
 * What a self-test has started on the computer that is tested: itself, its guard, the core, the helper and the engine.
 */
async function processes(): Promise<number[]> {
  const pids = await run(['ip', 'netns', 'pids', machines.tested.namespace]);
  const isOfSelfTest = (pid: string) => {
    try {
      const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      return /self-test|helper\.mjs|waymaker-engine|\0daemon\0|openconnect/.test(line);
    } catch {
      return false;
    }
  };
  return pids.split('\n').filter(isOfSelfTest).map(Number);
}

/** Kills them at once: who is left for a moment would notice the end of the others, and put the network back. */
async function killAll(): Promise<void> {
  let stopped: number[] = [];
  for (;;) {
    const now = await processes();
    if (now.every((pid) => stopped.includes(pid))) break;
    for (const pid of now) signalIfThere(pid, 'SIGSTOP');
    stopped = now;
  }
  for (const pid of stopped) signalIfThere(pid, 'SIGKILL');
}

function signalIfThere(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended since.
  }
}

/** A self-test that is in the middle of its checks. */
async function startInTheMiddle() {
  const child = machines.tested.spawn(argv(...against), {
    env: { ...process.env, WAYMAKER_SELF_TEST_CODE: serving.code },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let notes = '';
  child.stderr?.on('data', (chunk: Buffer) => (notes += chunk.toString()));
  await eventually('it has a tunnel', () => (notes.includes('Tunnel') ? true : undefined), {
    timeout: 60_000,
  });
  return child;
}

test.each(['SIGINT', 'SIGTERM', 'SIGKILL'] as const)(
  'after %s in the middle, it is put back',
  async (signal) => {
    const before = await machines.snapshot();
    const child = await startInTheMiddle();
    expect(await machines.snapshot()).not.toEqual(before);
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
    // By the guard, if nobody else was left.
    await eventually(
      'the network is as it was',
      async () => ((await machines.snapshot()) === before ? true : undefined),
      { timeout: 30_000, every: 200 },
    );
    await eventually('nothing of it runs', async () => ((await processes()).length === 0 ? true : undefined));
    expect(child.exitCode).toBe(signal === 'SIGKILL' ? null : 130);
  },
);

test('what one has left that was killed with its guard is undone by the next one', async () => {
  const before = await machines.snapshot();
  await startInTheMiddle();
  await killAll();
  await eventually('nothing of it runs', async () => ((await processes()).length === 0 ? true : undefined));
  expect(await machines.snapshot()).not.toEqual(before);
  const { stdout, stderr } = await machines.tested.exec(argv(...against, '--json'), {
    env: { WAYMAKER_SELF_TEST_CODE: serving.code },
    timeout: 180_000,
  });
  // On a slow computer, it does not get to all of them.
  expect(
    checksOf(stdout).filter(({ outcome, why }) => outcome !== 'passed' && why !== 'no-time'),
    stderr,
  ).toEqual([]);
  expect(checksOf(stdout).map(({ outcome }) => outcome)).toContain('passed');
  expect(await machines.snapshot()).toEqual(before);
});

test('on one computer alone, what only another one can show is not checked, and all else passes', async () => {
  const own = await startServing(machines.tested);
  const { code, stdout, stderr } = await machines.tested.exec(
    argv('--against', networkAddresses.tested, '--json', '--yes'),
    { env: { ...withTime(), WAYMAKER_SELF_TEST_CODE: own.code }, timeout: 180_000 },
  );
  const notPassed = checksOf(stdout).filter(({ outcome }) => outcome !== 'passed');
  expect(
    notPassed.map(({ name, outcome, why }) => `${name}: ${outcome}, ${why}`),
    stderr,
  ).toEqual([
    'neighbours: not-checked, no-second-computer',
    'local-network: not-checked, no-second-computer',
  ]);
  expect(code).toBe(8);
});

test('while another helper runs, nothing is done', async () => {
  const listener = `require('net').createServer().listen('/run/waymaker-other.sock', () => console.log('listens'))`;
  await machines.tested.spawnUntil([process.execPath, '--eval', listener], /listens/);
  const { stdout, code } = await machines.tested.exec(argv(...against, '--json'), {
    env: { WAYMAKER_SELF_TEST_CODE: serving.code, WAYMAKER_HELPER_SOCKET: '/run/waymaker-other.sock' },
  });
  expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'helper-runs' } });
  expect(code).toBe(4);
});
