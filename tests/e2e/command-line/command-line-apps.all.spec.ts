import { expect, withoutRoot } from '../fixtures.ts';
import { test } from '../support/command-line/command-line-fixture.ts';
import { installProbeProgram } from '../support/tunnel/probe-program.ts';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { addresses, names } from '../../lab/network/addresses.ts';
import { curlLimits } from '../../lab/probes/probe.ts';
import { endProcess, words } from '../../lab/runs/process.ts';
import { signInByCommand } from '../support/command-line/command-line.ts';

test.skip(withoutRoot, 'the laboratory needs root');

test('apps list names what is installed, which mode takes by name or id, and nothing else', async ({
  commandLine,
  helper: _helper,
  lab,
  directory,
}) => {
  const { run, json } = commandLine;
  const probe = await installProbeProgram(lab, directory);
  Object.assign(commandLine.env, probe.env);
  expect(await run(['apps', 'list'])).toEqual({ code: 0, stdout: 'Probe  probe.desktop\n', stderr: '' });
  const listed = { apps: [{ id: 'probe.desktop', name: 'Probe' }] };
  expect(await json(['apps', 'list'])).toEqual(listed);
  expect(
    JSON.parse((await run(['apps', 'list', '--json'], { env: { LANG: 'zh_TW.UTF-8' } })).stdout),
  ).toEqual(listed);

  const unknown = await run(['mode', 'apps', 'Probe', 'Firefox', '--json']);
  expect(unknown.code).toBe(2);
  expect(JSON.parse(unknown.stdout)).toMatchObject({ error: { code: 'no-such-app' } });
  expect(unknown.stderr).toMatch(/“Firefox”.*waymaker apps list/);
  expect(await json(['mode']), 'nothing has changed').toMatchObject({ routing: 'global' });
  const chosen = { routing: 'app', apps: { policy: 'include', ids: ['probe.desktop'] } };
  for (const name of ['PROBE', 'probe', 'probe.desktop']) {
    expect(await json(['mode', 'apps', name])).toMatchObject(chosen);
    expect(await json(['mode', 'global'])).not.toHaveProperty('apps');
  }
  expect(await json(['mode', 'apps']), 'as it was chosen').toMatchObject(chosen);
  expect(await json(['apps', 'list']), 'chosen or not').toEqual(listed);

  expect((await run(['apps', 'list', 'Probe'])).code).toBe(2);
  const alone = await run(['apps']);
  expect([alone.code, alone.stdout]).toEqual([2, '']);
  expect(alone.stderr).toMatch(/^Usage: waymaker apps [^]*list[^]*run/);
});

test('where no app is installed, or none is chosen, it says so, and all traffic is routed', async ({
  commandLine,
  service,
  helper: _helper,
  lab,
  directory,
  email,
}) => {
  const { run, json, succeed } = commandLine;
  const empty = path.join(directory, 'empty');
  await mkdir(empty);
  Object.assign(commandLine.env, { XDG_DATA_HOME: empty, XDG_DATA_DIRS: empty });
  expect(await run(['apps', 'list'])).toEqual({
    code: 0,
    stdout: '',
    stderr: 'No apps with a window are installed on this computer.\n',
  });
  expect(await json(['apps', 'list'])).toEqual({ apps: [] });

  const nothing = 'Nothing is chosen yet, so all traffic goes through the tunnel.';
  expect((await run(['mode', 'apps'])).stdout).toMatch(new RegExp(`By app\\n[^]*\\n${nothing}\\n$`));
  await signInByCommand(commandLine, service, email);
  await succeed(['connect']);
  expect((await lab.user.probe.http4('all'))?.address).toBe(addresses.gateway.ipv4);
  expect((await run(['mode', 'ip'])).stdout).toContain(nothing);
  expect((await lab.user.probe.http4('all'))?.address).toBe(addresses.gateway.ipv4);

  // It would have changed nothing, and somebody who has chosen apps would believe that it had.
  for (const mode of [['apps'], ['ip'], ['global'], []]) {
    const refused = await run(['mode', ...mode, '--except']);
    expect([refused.code, refused.stdout], mode.join()).toEqual([2, '']);
    expect(refused.stderr).toContain('waymaker mode ip --except cn');
  }
  expect(await json(['mode'])).toMatchObject({ routing: 'address' });
  await succeed(['disconnect']);
});

test('apps run puts a program into the tunnel, and passes on how it ends', async ({
  commandLine,
  service,
  helper: _helper,
  lab,
  email,
  directory,
}) => {
  const { run, succeed } = commandLine;
  Object.assign(commandLine.env, (await installProbeProgram(lab, directory)).env);
  await signInByCommand(commandLine, service, email);
  expect((await run(['apps', 'run', 'true'])).code, 'all traffic is routed').toBe(1);
  await succeed(['mode', 'apps', 'probe']);
  expect((await run(['apps', 'run', 'true'])).code, 'there is no tunnel').toBe(5);
  await succeed(['connect']);

  const curl = [...words('curl -4 -s'), ...curlLimits(), `http://${names.echo}/`];
  const inside = await run(['apps', 'run', ...curl]);
  expect(inside.stdout).toContain(addresses.gateway.ipv4);
  expect((await run(['apps', 'run', 'sh', '-c', 'cat; exit 7'], { input: 'piped' })).stdout).toBe('piped');
  expect((await run(['apps', 'run', 'sh', '-c', 'exit 7'])).code).toBe(7);
  expect((await run(['apps', 'run', 'sh', '-c', 'kill -9 $$'])).code).toBe(137);
  expect((await run(['apps', 'run', 'no-such-program'])).code).toBe(127);

  // Where process ids are others, that of the command may be another program's.
  const other = await lab.user.spawnUntil(['sh', '-c', 'echo runs; exec sleep 600'], /runs/);
  const { pid = 0 } = other;
  const numbered = `echo ${pid - 1} > /proc/sys/kernel/ns_last_pid; "$@"`;
  const under = [...words('unshare --pid --fork --mount-proc'), 'sh', '-c', `${numbered}; exit $?`, 'sh'];
  const sandboxed = await run(['apps', 'run', ...curl], { under });
  expect([sandboxed.code, sandboxed.stdout]).toEqual([1, '']);
  await endProcess(other, 'SIGKILL');
  await succeed(['disconnect']);
});
