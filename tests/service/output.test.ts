import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { isExhaustive } from '../lab/runs/thoroughness.ts';
import { programFile } from '../lab/runs/programs.ts';
import { eventually } from '../lab/runs/process.ts';
import { freePort } from '../unit/main/support/free-port.ts';
import { newEnvironment } from './test-service.ts';

/** Where what a program prints goes: a descriptor for it, and what makes writing fail once it runs. */
interface Output {
  descriptor: number | 'pipe';
  break?: (child: ReturnType<typeof spawn>) => void;
}

const outputs: Readonly<Record<string, () => Output>> = {
  'a full disk': () => ({ descriptor: openSync('/dev/full', 'w') }),
  'a pipe whose reader has ended': () => ({
    descriptor: 'pipe',
    break(child) {
      child.stdout?.destroy();
      child.stderr?.destroy();
    },
  }),
};

describe.each(Object.keys(outputs).filter((name) => name.includes('pipe') || isExhaustive))(
  'with its log on %s',
  (name) => {
    test('the service answers, and ends when it is asked to', async () => {
      const output = outputs[name]!();
      const port = String(await freePort());
      const environment = {
        ...(await newEnvironment('postgresql')),
        WAYMAKER_SERVICE_PORT: port,
        WAYMAKER_LOG_LEVEL: 'debug',
      };
      const child = spawn(process.execPath, [programFile('src/service/index.ts')], {
        env: { PATH: process.env['PATH'], ...environment },
        stdio: ['ignore', output.descriptor, output.descriptor],
      });
      const ended = once(child, 'exit') as Promise<[number | null, string | null]>;
      const url = `http://127.0.0.1:${port}/`;
      const answer = () =>
        fetch(url).then(
          ({ status }) => status,
          () => undefined,
        );
      try {
        await eventually('it answers', answer);
        output.break?.(child);
        // Each is logged.
        for (let count = 0; count < 20; count += 1) expect(await answer()).toBeDefined();
        child.kill('SIGTERM');
        expect(await ended).toEqual([0, null]);
      } finally {
        child.kill('SIGKILL');
      }
    });
  },
);
