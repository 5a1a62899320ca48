import { chmod, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { helperError, helperProtocolVersion } from '../../../src/shared/helper/protocol.ts';
import { createWindows, whyNoWindows, type Windows } from '../../lab/windows/windows.ts';
import { eventually } from '../../lab/runs/process.ts';
import { programFile } from '../../lab/runs/programs.ts';

const stateIn = ({ drive }: Windows, file: string) => path.join(drive, 'ProgramData/Waymaker', file);

const query = (windows: Windows) => windows.run(['sc', 'query', 'Waymaker']);

/** The service's state, as Windows' own program says it, or all that it says. */
async function stateOf(windows: Windows): Promise<string> {
  const { output } = await query(windows);
  return /STATE\s+: \d+\s+(\w+)/.exec(output)?.[1] ?? output;
}

const comesTo = (windows: Windows, state: string) =>
  eventually(`the service is ${state}`, async () => (await stateOf(windows)) === state || undefined);

async function start(windows: Windows): Promise<void> {
  await windows.run(['sc', 'start', 'Waymaker']);
  await comesTo(windows, 'RUNNING');
}

async function stop(windows: Windows): Promise<void> {
  await windows.run(['sc', 'stop', 'Waymaker']);
  await comesTo(windows, 'STOPPED');
}

async function install(windows: Windows): Promise<void> {
  await windows.bring(programFile('helper/index.ts'), 'helper.mjs');
  await windows.bring(programFile('helper/windows/set-up-service.ts'), 'set-up-service.mjs');
  await windows.bring(path.join(import.meta.dirname, 'pipe-client.mjs'));
  const { code, output } = await windows.node('set-up-service.mjs', ['install']);
  // Wine has no such setting.
  expect(output).toBe('not on this system: security identifier\n');
  expect(code).toBe(0);
}

/** The answers to hello and to these calls. */
async function ask(windows: Windows, ...methods: readonly string[]): Promise<Record<string, unknown>[]> {
  const { output } = await windows.node('pipe-client.mjs', [String(helperProtocolVersion), ...methods]);
  return output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

const helpers = (windows: Windows) => windows.processes('helper.mjs');

test.skipIf(whyNoWindows() !== undefined)(
  'the service is installed, answers on its pipe, keeps its journal when it is killed, and is gone when it is removed',
  async () => {
    await using windows = await createWindows();
    await install(windows);
    expect((await query(windows)).code).toBe(0);
    expect(await stateOf(windows)).toBe('STOPPED');
    await start(windows);
    const [hello, snapshot] = await ask(windows, 'snapshot');
    expect(hello).toMatchObject({ result: { protocolVersion: helperProtocolVersion } });
    expect(snapshot).toHaveProperty('result.state');

    // Those who say nothing keep nobody waiting, and are let go.
    const silent = await windows.node('pipe-client.mjs', ['silent', String(helperProtocolVersion), '4']);
    const answers = silent.output.trim().split('\n');
    expect(answers).toHaveLength(2);
    for (const answer of answers) expect(JSON.parse(answer)).toHaveProperty('result.protocolVersion');

    // Of many who come at once, each is answered: also who comes when a pipe is there, and not waited at yet.
    const crowd = await windows.node('pipe-client.mjs', ['crowd', String(helperProtocolVersion), '12']);
    expect(crowd.output.match(/"protocolVersion"/g)).toHaveLength(12);

    // Another one does not run beside it.
    const second = await windows.node('helper.mjs');
    expect(second.output).toContain('another helper listens');
    expect(second.code).not.toBe(0);

    await stop(windows);
    // It says so just before it ends.
    await expect.poll(() => helpers(windows)).toEqual([]);
    const log = () => readFile(stateIn(windows, 'helper.log'), 'utf8');
    expect(await log()).toContain('"message":"listening"');

    // What it could not undo stays for the next one, also if it is killed.
    const entry = { version: 2, connection: null, steps: [{ kind: 'device' }] };
    await writeFile(stateIn(windows, 'journal.json'), JSON.stringify(entry));
    await start(windows);
    const [killed, ...others] = helpers(windows);
    expect(others).toEqual([]);
    process.kill(killed ?? 0, 'SIGKILL');
    await comesTo(windows, 'STOPPED');
    expect(JSON.parse(await readFile(stateIn(windows, 'journal.json'), 'utf8'))).toMatchObject({
      steps: expect.arrayContaining([{ kind: 'device' }]) as unknown,
    });
    await start(windows);
    expect(helpers(windows)).not.toContain(killed);
    expect(await ask(windows)).toMatchObject([{ result: {} }]);

    const removed = await windows.node('set-up-service.mjs', ['remove']);
    expect(removed).toEqual({ code: 0, output: '' });
    await expect.poll(() => helpers(windows)).toEqual([]);
    expect((await query(windows)).code).not.toBe(0);
  },
);

test.skipIf(whyNoWindows() !== undefined)(
  'a secret that one start of the service has sealed is opened by the next, and with no key that others could read',
  async () => {
    await using windows = await createWindows();
    await install(windows);
    await start(windows);
    const secret = 'token-1';
    const [, sealing] = await ask(windows, `seal:secret=${secret}`);
    const { sealed } = z.object({ sealed: z.string() }).parse(sealing?.['result']);
    const unseal = `unseal:sealed=${sealed}`;
    const restart = async () => {
      await stop(windows);
      await start(windows);
    };

    await restart();
    expect(await ask(windows, unseal)).toMatchObject([{}, { result: { secret } }]);
    expect(await readFile(stateIn(windows, 'helper.log'), 'utf8')).not.toContain('key of sealed secrets');

    // Under wine, what others may do to a file follows from its permissions here.
    await chmod(stateIn(windows, 'sealing-key'), 0o644);
    await restart();
    expect(await ask(windows, unseal)).toMatchObject([{}, { error: { code: helperError.notSealed } }]);
    expect(await readFile(stateIn(windows, 'helper.log'), 'utf8')).toContain('key of sealed secrets');
  },
);

test.skipIf(whyNoWindows() !== undefined)('the command line shows what the service says', async () => {
  await using windows = await createWindows();
  await install(windows);
  await windows.bring(programFile('src/main/cli/index.ts'), 'cli.js');
  await start(windows);
  const { code, output } = await windows.node('cli.js', ['status', '--json']);
  expect(JSON.parse(output)).toMatchObject({ tunnel: { state: 'invalid', cause: 'tunnel-unsupported' } });
  expect(code).toBe(0);
  const doctor = await windows.node('cli.js', ['doctor', '--json']);
  const { checks } = JSON.parse(doctor.output) as { checks: object[] };
  expect(checks).toContainEqual(expect.objectContaining({ check: 'helper', outcome: 'problem' }));
  expect(checks).toContainEqual({ check: 'other-vpn', outcome: 'ok', message: null });
});

const pac = 'http://127.0.0.1:40123/0123456789abcdef.pac';
const wpad = 'http://wpad.example/wpad.dat';
const othersPac = 'http://127.0.0.1:1080/proxy.pac';
const [withoutApp, ofOthers] = ['S-1-5-21-1-2-3-1001', 'S-1-5-21-1-2-3-1002'];

/** The scripts that users' proxy settings name; the only one without a number of ours is wine's own user. */
async function scriptsOf(windows: Windows): Promise<Record<string, string>> {
  const { output } = await windows.run(['reg', 'query', 'HKU', '/s', '/v', 'AutoConfigURL']);
  const found = output.matchAll(
    /HKEY_USERS\\([^\\]+)\\.*Internet Settings\n\s+AutoConfigURL\s+REG_SZ\s+(\S+)/g,
  );
  return Object.fromEntries(
    [...found].map(([, user = '', script = '']) => [
      [withoutApp, ofOthers].includes(user) ? user : 'own',
      script,
    ]),
  );
}

test.skipIf(whyNoWindows() !== undefined)(
  'before a removal, an app puts back its user’s proxy settings, and those of ours that nobody puts back are removed',
  async () => {
    await using windows = await createWindows();
    await windows.bring(programFile('helper/index.ts'), 'helper.mjs');
    await windows.bring(programFile('helper/windows/set-up-service.ts'), 'set-up-service.mjs');
    await windows.bring(path.join(import.meta.dirname, 'proxy-app.mjs'));
    const settings = String.raw`Software\Microsoft\Windows\CurrentVersion\Internet Settings`;
    const values = Object.entries({ [withoutApp]: pac, [ofOthers]: othersPac }).map(
      ([user, script]) => `[HKEY_USERS\\${user}\\${settings}]\r\n"AutoConfigURL"="${script}"\r\n\r\n`,
    );
    await writeFile(
      path.join(windows.folder, 'users.reg'),
      `Windows Registry Editor Version 5.00\r\n\r\n${values.join('')}`,
    );
    expect((await windows.run(['reg', 'import', windows.path('users.reg')])).code).toBe(0);
    windows.start([windows.path('node.exe'), windows.path('helper.mjs')]);
    const app = windows.start([
      windows.path('node.exe'),
      windows.path('proxy-app.mjs'),
      String(helperProtocolVersion),
      pac,
      wpad,
    ]);
    await eventually('its proxy is in use', () => app.output().includes('pointing') || undefined);
    expect(await scriptsOf(windows)).toEqual({ own: pac, [withoutApp]: pac, [ofOthers]: othersPac });

    expect(await windows.node('helper.mjs', ['--disconnect'])).toEqual({ code: 0, output: '' });
    const cleared = await windows.node('set-up-service.mjs', ['clear-proxies']);
    expect(cleared).toEqual({ code: 0, output: '' });
    // It may take longer than is waited for.
    await eventually('it has put back', () => app.output().includes('put back') || undefined);
    expect(await scriptsOf(windows)).toEqual({ own: wpad, [ofOthers]: othersPac });
  },
);
