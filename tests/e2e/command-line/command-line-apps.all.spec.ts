import { expect, withoutRoot } from '../fixtures.ts';
import { test } from '../support/command-line/command-line-fixture.ts';
import { installProbeApp } from '../support/tunnel/probe-app.ts';

test.skip(withoutRoot, 'the laboratory needs root');

test('apps list names what is installed, which mode takes by name or id, and nothing else', async ({
  commandLine,
  helper: _helper,
  lab,
  directory,
}) => {
  const { run, json } = commandLine;
  const probe = await installProbeApp(lab, directory);
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
