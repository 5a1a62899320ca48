import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';

const folder = path.resolve(import.meta.dirname, '../../../scripts/start');

/** What a program says and ends with that runs this, and gets Ctrl-C where it waits for that. */
async function outcome(body: string) {
  const program = `
    import { once } from 'node:events';
    import { runUntilStopped } from '${folder}/run-until-stopped.ts';
    import { StartProblem } from '${folder}/start-problem.ts';
    const busy = setInterval(() => {}, 1000);
    await runUntilStopped(async (stop) => {
      console.log('running');
      ${body}
    });
    clearInterval(busy);`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program]);
  const stderr = text(child.stderr);
  let stdout = '';
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk.toString();
    // Only then, and once: nobody listens for it any more when it comes as the program ends.
    if (stdout === 'running\n' && body.includes('abort')) child.kill('SIGINT');
  });
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stdout, stderr: await stderr };
}

test('Ctrl-C ends what runs', async () => {
  expect(await outcome(`await once(stop, 'abort');`)).toEqual({
    code: 0,
    stdout: 'running\nEnding …\n',
    stderr: '',
  });
});

test('what a start says that Ctrl-C broke off is no failure', async () => {
  expect(await outcome(`await once(stop, 'abort'); throw new Error('openssl ended');`)).toEqual({
    code: 130,
    stdout: 'running\nEnding …\n',
    stderr: '',
  });
});

test('what keeps it from starting is said in a line', async () => {
  expect(await outcome(`throw new StartProblem('Port 1 is taken.');`)).toMatchObject({
    code: 1,
    stderr: 'Port 1 is taken.\n',
  });
});
