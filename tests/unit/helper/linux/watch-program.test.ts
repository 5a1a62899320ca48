import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createLog } from '../../../../helper/log.ts';
import { watchProgram } from '../../../../helper/linux/programs/watch-program.ts';
import { findProgram } from '../../../../helper/posix/command.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

test.runIf(process.platform === 'linux')(
  'while the program that watches is not installed, all is looked at again and again, and then it watches',
  async () => {
    const lines: string[] = [];
    const onChange = vi.fn();
    let isInstalled = false;
    const stop = watchProgram({
      program: 'cat',
      args: ['/proc/self/status'],
      pattern: /^Name:\tcat$/m,
      settleMs: 20,
      find: (name) => (isInstalled || name !== 'cat' ? findProgram(name) : undefined),
      log: createLog((line) => lines.push(line)),
      onChange,
    });
    try {
      await vi.waitFor(() => expect(onChange.mock.calls.length).toBeGreaterThan(2));
      expect(lines.filter((line) => line.includes('cannot be watched'))).toHaveLength(1);
      isInstalled = true;
      const before = onChange.mock.calls.length;
      await vi.waitFor(() => expect(lines.join('')).toContain('another begins'));
      expect(onChange.mock.calls.length).toBeGreaterThan(before);
    } finally {
      stop();
    }
  },
);

test.runIf(process.platform === 'linux')(
  'what changed before a program listens is looked at, however long it takes to start',
  async () => {
    const onChange = vi.fn();
    let listens = false;
    const stop = watchProgram({
      program: 'sleep',
      args: ['600'],
      settleMs: 20,
      isListening: () => listens,
      log: createLog(() => undefined),
      onChange,
    });
    try {
      await vi.advanceTimersByTimeAsync(45_000);
      // Once for programs of which it cannot be told.
      expect(onChange).toHaveBeenCalledTimes(1);
      listens = true;
      await vi.advanceTimersByTimeAsync(45_000);
      expect(onChange).toHaveBeenCalledTimes(2);
      await vi.advanceTimersByTimeAsync(600_000);
      expect(onChange).toHaveBeenCalledTimes(2);
    } finally {
      stop();
    }
  },
);
