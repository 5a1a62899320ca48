import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, withoutRoot } from '../fixtures.ts';
import { commandError } from '../support/command-line/command-line.ts';
import { test } from '../support/command-line/command-line-fixture.ts';
import { documentedResults, parseDocumented } from '../support/command-line/documented-json.ts';

/** What is on the disk of what happened. */
const keptLog = (directory: string) => readFile(path.join(directory, 'app/connection-log.json'), 'utf8');
test.skip(withoutRoot, 'the laboratory needs root');

test('each command prints for programs what is documented, whether it succeeds or not', async ({
  commandLine,
  service,
  helper,
  email,
  directory,
}) => {
  const { run, json } = commandLine;
  const left = new Set(documentedResults.keys());
  /** What a command prints that has to succeed. */
  const result = async (argv: readonly string[], more: readonly string[] = []) => {
    const { code, stdout, stderr } = await run([...argv, ...more, '--json']);
    expect(code, stderr).toBe(0);
    left.delete(argv.join(' '));
    return JSON.parse(stdout) as unknown;
  };
  const codeOf = async (argv: readonly string[]) => commandError.parse(await json(argv)).error.code;

  expect(await codeOf(['servers'])).toBe('not-signed-in');
  expect(await codeOf(['sign-in', 'nobody'])).toBe('bad-email');
  const signingIn = await commandLine.start(['sign-in', email, '--json'], /Code sent to/);
  let stdout = '';
  signingIn.stdout?.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  signingIn.stdin?.end(`${await service.mailbox.code(email)}\n`);
  const [code] = (await once(signingIn, 'close')) as [number | null];
  expect(parseDocumented(['sign-in'], { code, stdout })).toEqual({ signedIn: true, keptIn: 'helper' });
  left.delete('sign-in');

  expect(await result(['status'])).toMatchObject({ tunnel: { state: 'disconnected' }, server: null });
  expect(await result(['servers'])).toMatchObject({ servers: [{ serverId: 'first' }, {}, {}] });
  // Whoever measures does not wait long, and a busy machine may once be too late.
  await expect
    .poll(() => result(['servers'], ['--measure']))
    .toMatchObject({
      servers: [{ milliseconds: expect.any(Number), throughTunnel: false }, {}, { milliseconds: null }],
    });
  const modes = [['ip', 'cn'], ['ip', '--except', '203.0.113.0/24'], ['apps'], ['auto'], ['global']];
  for (const mode of modes) await result(['mode'], mode);
  await result(['apps', 'list']);
  /** The doctor asks with short time limits, which a busy machine exceeds now and then. */
  const isWell = () => expect(() => result(['doctor'])).toPass();
  await isWell();
  expect(await codeOf(['connect', 'Atlantis'])).toBe('no-such-server');
  expect(await codeOf(['mode', 'ip', 'everywhere'])).toBe('bad-address');
  expect(await codeOf(['status', '--nonsense'])).toBe('usage');
  expect(await result(['connect'])).toMatchObject({ tunnel: { state: 'connected' } });
  expect(await result(['status'])).toMatchObject({ server: { serverId: 'first' } });
  await isWell();
  expect(await codeOf(['restore', '--state-dir', helper.stateDirectory])).toBe('helper-running');
  expect(await result(['disconnect'])).toMatchObject({ tunnel: { state: 'disconnected' } });
  expect(await result(['log'])).toMatchObject({ entries: [{ event: { kind: 'connected' } }, {}] });
  await expect.poll(() => keptLog(directory), 'positive control').toContain('Aurora');
  expect(await result(['log'], ['--clear'])).toEqual({ entries: [] });
  expect(await keptLog(directory)).not.toContain('Aurora');
  await helper.stop();
  await result(['restore'], ['--state-dir', helper.stateDirectory]);
  await result(['self-test']);
  await expect.poll(() => codeOf(['disconnect'])).toBe('helper-absent');
  expect(await result(['sign-out'])).toEqual({ signedIn: false });
  expect(await result(['reset'], ['--yes'])).toMatchObject({ removed: [expect.any(String)] });
  expect(await codeOf(['update'])).toBe('no-updates');
  expect([...left], 'documented, and not tried').toEqual(['update']);
});

test('log --clear removes what happened for good, from the disk as well', async ({
  signedInCommandLine: commandLine,
  directory,
}) => {
  const { run, json, succeed } = commandLine;
  expect(await json(['log'])).toEqual({ entries: [] });
  const empty = await run(['log']);
  expect([empty.code, empty.stdout, empty.stderr]).toEqual([0, '', 'Nothing has happened yet\n']);
  await succeed(['connect']);
  expect((await run(['log'])).stdout).toContain('Connected to Aurora');
  await expect.poll(() => keptLog(directory), 'positive control').toContain('Aurora');

  const cleared = await run(['log', '--clear']);
  expect([cleared.code, cleared.stderr]).toEqual([0, '']);
  expect(await json(['log'])).toEqual({ entries: [] });
  expect(await keptLog(directory)).not.toContain('Aurora');
  expect(await json(['log', '--clear']), 'again').toEqual({ entries: [] });
  await succeed(['disconnect']);
  expect((await run(['log'])).stdout).toMatch(/^[^\n]*Disconnected\n$/);
  await commandLine.end();
  expect(await json(['log']), 'another daemon').toMatchObject({ entries: [{ event: { kind: 'ended' } }] });
  expect(await run(['log', 'clear'])).toMatchObject({ code: 2, stdout: '' });
});
