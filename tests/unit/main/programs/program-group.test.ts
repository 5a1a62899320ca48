import { expect, test } from 'vitest';
import { createProgramGroup } from '../../../../src/main/programs/program-group.ts';
import type { Process } from '../../../../src/main/programs/processes.ts';
import { createTestLog } from '../support/log.ts';

/** Processes that are named after what they are, and a helper that moves them. */
function start(groupPath = '/waymaker/1000', outsidePath = '/outside') {
  const table = new Map<number, Process>();
  const moves: string[] = [];
  const untouchable = new Set<number>();
  const { log } = createTestLog();
  const processes = {
    read: () => [...table.values()].map((one) => ({ ...one })),
    reread: (pid: number) => {
      const found = table.get(pid);
      return found && { ...found };
    },
  };
  const below = (pid: number): Process[] =>
    [...table.values()].filter(({ parent }) => parent === pid).flatMap((one) => [one, ...below(one.pid)]);
  const group = createProgramGroup({
    processes,
    ownPid: 2,
    log,
    move(pid, into) {
      const process = table.get(pid);
      if (!process || untouchable.has(pid)) return Promise.resolve('gone');
      const entered = into === 'group' ? groupPath : outsidePath;
      const moved = [process, ...below(pid)].filter((one) => one.group !== entered);
      for (const one of moved) one.group = entered;
      moves.push(`${pid} ${into}`);
      return Promise.resolve({ moved: moved.length });
    },
  });
  const match = ({ exe }: Process) => (exe.startsWith('app-') ? [exe] : []);
  return {
    group,
    untouchable,
    /** A child begins in its parent's group, as the kernel has it. */
    run: (pid: number, exe: string, parent = 1): void => {
      const inherited = table.get(parent)?.group ?? '/session';
      table.set(pid, {
        pid,
        parent,
        startTime: `${pid}`,
        exe,
        args: [],
        group: inherited,
        sandbox: undefined,
      });
    },
    end: (pid: number): void => {
      table.delete(pid);
      for (const one of table.values()) if (one.parent === pid) one.parent = 1;
    },
    put: (pid: number, change: Partial<Process>) => Object.assign(table.get(pid) ?? {}, change),
    sweep: async (policy: 'include' | 'exclude', ...ids: string[]) => {
      moves.length = 0;
      await group.sweep({ policy, ids }, match);
      return [...moves];
    },
    inside: () => [...table.values()].filter((one) => one.group === groupPath).map(({ pid }) => pid),
    running: () => group.running(match),
    match,
  };
}

test('what is chosen and running is moved once, with what it has started, and said to have run before', async () => {
  const { run, sweep, inside, running } = start();
  run(10, 'app-a');
  run(11, 'helper', 10);
  run(20, 'app-b');
  expect(await sweep('include', 'app-a')).toEqual(['10 group']);
  expect(inside()).toEqual([10, 11]);
  expect(await sweep('include', 'app-a')).toEqual([]);
  expect(running()).toEqual([
    { id: 'app-a', isPartial: true },
    { id: 'app-b', isPartial: false },
  ]);
});

test('what may not be moved is left alone for a while, unless it becomes another program', async () => {
  const { run, put, sweep, untouchable } = start();
  run(10, 'app-a');
  untouchable.add(10);
  await sweep('include', 'app-a');
  untouchable.clear();
  expect(await sweep('include', 'app-a')).toEqual([]);
  // As snap-confine does, which has root's rights until then.
  put(10, { exe: 'app-a-itself' });
  expect(await sweep('include', 'app-a', 'app-a-itself')).toEqual(['10 group']);
});

test('what this app starts is there before it runs, and so is all that it starts', async () => {
  const { group, run, sweep, inside, running } = start();
  run(10, 'sh');
  expect(await group.admit(10, 'app-a')).toBe(true);
  run(11, 'app-a', 10);
  expect(await sweep('include', 'app-a')).toEqual([]);
  expect(inside()).toEqual([10, 11]);
  expect(running()).toEqual([{ id: 'app-a', isPartial: false }]);
});

test('a program that a sandbox has taken out of the group right after its start is put back, and is whole', async () => {
  const { group, run, put, sweep, running } = start();
  run(10, 'sh');
  await group.admit(10, 'app-a');
  put(10, { exe: 'bwrap', group: '/app.slice/app-flatpak.scope' });
  run(11, 'app-a', 10);
  expect(await sweep('include', 'app-a')).toEqual(['10 group']);
  expect(running()).toEqual([{ id: 'app-a', isPartial: false }]);
});

test('what a chosen application starts goes with it through the tunnel, even once it has ended', async () => {
  const { run, end, put, sweep, inside } = start();
  run(10, 'app-terminal');
  run(11, 'app-b', 10);
  await sweep('include', 'app-terminal');
  expect(inside()).toEqual([10, 11]);
  end(10);
  put(11, { group: '/app.slice' });
  expect(await sweep('include', 'app-terminal')).toEqual(['11 group']);
});

test('around the tunnel goes what was chosen itself, and no other application that it starts', async () => {
  const { run, sweep, inside } = start();
  run(10, 'app-terminal');
  run(11, 'tool', 10);
  run(12, 'app-b', 10);
  await sweep('exclude', 'app-terminal');
  expect(inside()).toEqual([10, 11]);
  expect(await sweep('exclude', 'app-terminal')).toEqual([]);
});

test('what is no longer chosen leaves, and what it has started and is chosen itself stays', async () => {
  const { run, sweep, inside } = start();
  run(10, 'app-a');
  run(11, 'app-b', 10);
  run(12, 'tool', 11);
  await sweep('include', 'app-a', 'app-b');
  expect(inside()).toEqual([10, 11, 12]);
  await sweep('include', 'app-b');
  expect(inside()).toEqual([11, 12]);
});

test('a program of which nobody knows anything stays in the tunnel, or goes into it', async () => {
  const { run, put, sweep, inside } = start();
  run(10, 'app-a');
  run(30, 'stranger');
  await sweep('include', 'app-a');
  put(30, { group: '/waymaker/1000' });
  await sweep('include', 'app-a');
  expect(inside()).toEqual([10, 30]);
  await sweep('exclude', 'app-a');
  expect(inside()).toEqual([10]);
});

test('a program that has started before traffic is routed by the group has run before, though it is in the group', async () => {
  const { group, run, sweep, running } = start();
  run(10, 'sh');
  await group.admit(10, 'app-a');
  run(11, 'app-a', 10);
  group.begin();
  await sweep('include', 'app-a');
  expect(running()).toEqual([{ id: 'app-a', isPartial: true }]);
});

test('a program that may not be moved does not keep the others from it, and is not asked for every second', async () => {
  const { run, sweep, untouchable, inside } = start();
  run(10, 'app-a');
  run(20, 'app-a');
  untouchable.add(10);
  expect(await sweep('include', 'app-a')).toEqual(['20 group']);
  expect(inside()).toEqual([20]);
  untouchable.clear();
  expect(await sweep('include', 'app-a')).toEqual([]);
  for (let sweeps = 0; sweeps < 40; sweeps += 1) await sweep('include', 'app-a');
  expect(inside()).toEqual([10, 20]);
});

test.each(['/', '/session'])(
  'where groups are not told apart, as in %s, nobody is moved out of one',
  async (path) => {
    const { run, sweep } = start(path, path);
    run(2, 'this-app');
    run(10, 'app-a');
    run(20, 'app-b');
    expect(await sweep('exclude', 'app-a')).not.toContain('20 outside');
    expect(await sweep('exclude', 'app-a')).not.toContain('20 outside');
  },
);

test('to end an application only those are asked that no other of it has started', () => {
  const { group, run, match } = start();
  run(10, 'app-a');
  run(11, 'app-a', 10);
  run(12, 'tool', 11);
  run(20, 'app-b');
  run(21, 'app-a', 20);
  expect(group.processesOf('app-a', match)).toEqual([10, 21]);
});
