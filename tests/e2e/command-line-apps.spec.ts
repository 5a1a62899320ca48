import { addresses, names } from '../lab/addresses.ts';
import { words } from '../lab/process.ts';
import { expect, withoutRoot } from './fixtures.ts';
import { signInByCommand } from './support/command-line.ts';
import { test } from './support/command-line-fixture.ts';
import { installProbeApp } from './support/probe-app.ts';

/** Routing by app, by commands. */

test.skip(withoutRoot, 'the laboratory needs root');

test('apps run puts a program into the tunnel, and passes on how it ends', async ({
  commandLine,
  service,
  helper: _helper,
  lab,
  email,
  directory,
}) => {
  const { run } = commandLine;
  Object.assign(commandLine.env, (await installProbeApp(lab, directory)).env);
  await signInByCommand(commandLine, service, email);
  expect((await run(['apps', 'run', 'true'])).code, 'all traffic is routed').toBe(1);
  expect((await run(['mode', 'apps', 'probe'])).code).toBe(0);
  expect((await run(['apps', 'run', 'true'])).code, 'there is no tunnel').toBe(5);
  expect((await run(['connect'])).code).toBe(0);

  const curl = ['curl', '-4', '-s', '-m', '20', `http://${names.echo}/`];
  const inside = await run(['apps', 'run', ...curl]);
  expect(inside.stdout).toContain(addresses.gateway.ipv4);
  expect((await run(['apps', 'run', 'sh', '-c', 'cat; exit 7'], { input: 'piped' })).stdout).toBe('piped');
  expect((await run(['apps', 'run', 'sh', '-c', 'exit 7'])).code).toBe(7);
  expect((await run(['apps', 'run', 'sh', '-c', 'kill -9 $$'])).code).toBe(137);
  expect((await run(['apps', 'run', 'no-such-program'])).code).toBe(127);

  // Where process ids are others, that of the command may be another program's.
  const { pid = 0 } = await lab.user.spawnUntil(['sh', '-c', 'echo runs; exec sleep 600'], /runs/);
  const numbered = `echo ${pid - 1} > /proc/sys/kernel/ns_last_pid; "$@"`;
  const under = [...words('unshare --pid --fork --mount-proc'), 'sh', '-c', `${numbered}; exit $?`, 'sh'];
  const sandboxed = await run(['apps', 'run', ...curl], { under });
  expect([sandboxed.code, sandboxed.stdout]).toEqual([1, '']);
  expect((await run(['disconnect'])).code).toBe(0);
});
