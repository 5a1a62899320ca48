import { isExhaustive } from '../../lab/runs/thoroughness.ts';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { z } from 'zod';
import { addresses, names } from '../../lab/network/addresses.ts';
import { eventually, exec, processStartTime, words } from '../../lab/runs/process.ts';
import { execAsSecondUser } from '../../lab/machine/second-user.ts';
import { expect, withoutRoot } from '../fixtures.ts';
import { ConnectRoute } from '../routes/connect/connect-route.ts';
import { commandError, signInByCommand } from '../support/command-line/command-line.ts';
import { test as base } from '../support/command-line/command-line-fixture.ts';
import { serverNames } from '../support/service/service.ts';

base.skip(withoutRoot, 'the laboratory needs root');

interface Fixtures {
  /**
   * Signs in while the gateway asks this device for codes, until the test is over; resolves to what says the next one.
   */
  signInForCodes: () => Promise<() => string>;
}

const test = base.extend<Fixtures>({
  signInForCodes: async ({ commandLine, service, lab, email, directory }, provide) => {
    // The gateway is first: the app signs in to it ahead of a connect where it asks nothing.
    await provide(async () => {
      await commandLine.json(['status']);
      const settings = await readFile(path.join(directory, 'app/settings.json'), 'utf8');
      const { deviceId } = z.object({ deviceId: z.string() }).parse(JSON.parse(settings));
      await lab.gateway.restart({ oneTimeCodes: true });
      const nextCode = await lab.gateway.addOneTimeCodes(deviceId);
      await signInByCommand(commandLine, service, email);
      return nextCode;
    });
    await lab.gateway.restart({ oneTimeCodes: false });
  },
});

const doctorChecks = z.object({ checks: z.array(z.object({ check: z.string(), outcome: z.string() })) });
const state = z.object({ tunnel: z.looseObject({ state: z.string() }), signedIn: z.boolean() });

test('signs in, connects, routes as it is told, lets the doctor look, and disconnects, each with its exit code', async ({
  commandLine,
  service,
  helper,
  email,
  lab,
  networkBefore,
}) => {
  const { run, json, succeed } = commandLine;
  await test.step('wrong arguments start nothing', async () => {
    const unknown = await run(['conect']);
    expect([unknown.code, unknown.stdout]).toEqual([2, '']);
    expect(unknown.stderr).toContain('conect');
    if (isExhaustive) {
      expect((await run(['status', '--nonsense'])).code).toBe(2);
      expect((await run(['disconnect', 'now'])).code).toBe(2);
      expect((await run(['complete', '--', 'con'])).stdout).toContain('connect');
      expect((await run(['complete', '--', 'connect', ''])).stdout).not.toContain(serverNames.first);
      const { stdout: completion } = await run(['completion', 'bash']);
      expect((await exec(['bash', '-n'], { input: completion })).code).toBe(0);
    }
    expect(commandLine.daemon(), 'wrong arguments start nothing').toBeUndefined();
  });

  await test.step('signs in', async () => {
    const tooEarly = await run(['connect']);
    expect(tooEarly.code).toBe(3);
    expect(tooEarly.stderr).toContain('waymaker sign-in');
    if (isExhaustive) expect((await run(['sign-in'], { input: 'nobody\n' })).code).toBe(2);
    await signInByCommand(commandLine, service, email);
  });

  await test.step('lists the servers', async () => {
    expect(await json(['servers'])).toMatchObject({
      servers: [
        { serverId: 'first', name: serverNames.first, isChosen: true, country: null },
        { serverId: 'untrusted' },
        { serverId: 'unknown' },
      ],
    });
    // Nobody waits long for a key: on a busy machine it has to be pressed again.
    await eventually('the server is completed', async () => {
      const { stdout } = await run(['complete', '--', 'connect', 'Au']);
      return /^Aurora\tAurora\n:\d+\n$/.test(stdout) ? true : undefined;
    });
    if (isExhaustive) {
      // Nor does whoever measures.
      const measured = expect.poll(async () => (await run(['servers', '--measure'])).stdout);
      await measured.toMatch(/\* +Aurora +first +Starter +\d+ ms[^]*Nowhere +unknown +Starter +no answer/);
      await expectKnownWhereOutputGoes();
    }
  });

  await test.step('connects, and shows it', async () => {
    expect((await run(['status', '--check'])).code).toBe(5);
    expect(commandError.parse(await json(['connect', 'Atlantis'])).error.code).toBe('no-such-server');
    if (isExhaustive) {
      expect(commandError.parse(await json(['connect', serverNames.unknown])).error.code).toBe(
        'gateway-name-unknown',
      );
    }
    const connected = await run(['connect', serverNames.first.toUpperCase()]);
    expect([connected.code, connected.stdout]).toEqual([0, `Connected to ${serverNames.first}\n`]);
    expect(connected.stderr).toContain('Signing in to the server');
    await succeed(['status', '--check']);
    expect(await json(['status'])).toMatchObject({
      signedIn: true,
      tunnel: { state: 'connected', gateway: { host: names.gateway, port: 443 } },
      server: { serverId: 'first', name: serverNames.first },
      preferences: { routing: 'global', killSwitch: false },
      core: { kind: 'daemon', pid: commandLine.daemon() },
    });
    const chinese = await run(['status'], { env: { LANG: 'zh_TW.UTF-8' } });
    expect(chinese.stdout).toContain('伺服器');
  });

  await test.step('routes as it is told, and lets the doctor look', async () => {
    const again = await run(['connect']);
    expect([again.code, again.stdout]).toEqual([0, `Already connected to ${serverNames.first}\n`]);
    await expectRouted();
  });
  await test.step('disconnects', async () => {
    await succeed(['disconnect']);
    expect(state.parse(await json(['status'])).tunnel.state).toBe('disconnected');
    const { stdout: log } = await run(['log']);
    expect(log).toMatch(/Connected to Aurora\n[^]*Disconnected/);
  });

  await test.step('restore opens what a killed helper has left blocked', async () => {
    await expectRestored();
  });
  await eventually('the helper is missed', async () => {
    const { tunnel } = state.parse(await json(['status']));
    return tunnel.state === 'invalid' ? true : undefined;
  });
  const without = await run(['connect']);
  expect(without.code).toBe(4);
  expect(without.stderr).toContain('helper');

  await succeed(['sign-out']);
  expect((await run(['servers'])).code).toBe(3);

  async function expectKnownWhereOutputGoes(): Promise<void> {
    const shell = (script: string) => ({ under: ['bash', '-c', script, 'bash'] });
    const unread = await run(['status'], shell('"$@" | true; exit ${PIPESTATUS[0]}'));
    expect([unread.code, unread.stderr], 'nobody reads the result').toEqual([0, '']);
    expect((await run(['status'], shell('"$@" > /dev/full'))).code, 'it cannot be written').toBe(1);
  }

  async function seen(): Promise<string | undefined> {
    return (await lab.user.probe.http4('seen'))?.address;
  }

  async function expectRouted(): Promise<void> {
    const well = await run(['doctor']);
    expect([well.code, well.stdout]).toEqual([0, expect.stringMatching(/✓ +Real traffic +OK/)]);
    const { service: served, direct, user } = addresses;
    await lab.user.run(words(`ip rule add pref 1 to ${served.ipv4} lookup main`));
    const { checks } = doctorChecks.parse(await json(['doctor']));
    await lab.user.run(words(`ip rule del pref 1 to ${served.ipv4} lookup main`));
    const wrong = checks.flatMap(({ check, outcome }) => (outcome === 'problem' ? [check] : []));
    expect(wrong).toEqual(expect.arrayContaining(['route', 'probe']));

    expect(await json(['mode', 'ip', direct.ipv4, 'cn'])).toMatchObject({
      routing: 'address',
      addresses: { policy: 'include', countries: ['cn'], prefixes: [`${direct.ipv4}/32`] },
    });
    expect(await seen(), 'not listed').toBe(user.ipv4);
    expect(await json(['mode', 'global', '--kill-switch', 'on'])).toMatchObject({ killSwitch: true });
    expect(await seen()).toBe(addresses.gateway.ipv4);
  }

  /** Ends with the helper killed, and nothing blocked any more. */
  async function expectRestored(): Promise<void> {
    const stateDirectory = ['--state-dir', helper.stateDirectory];
    await succeed(['connect']);
    expect(commandError.parse(await json(['restore', ...stateDirectory])).error.code).toBe('helper-running');
    expect(await seen()).toBe(addresses.gateway.ipv4);
    await helper.kill();
    // The engine ends with the helper as soon as it runs; until then, packets take the tunnel.
    await eventually('nothing passes', async () => {
      const address = await seen();
      expect([addresses.gateway.ipv4, undefined]).toContain(address);
      return address === undefined || undefined;
    });
    const restored = await run(['restore', ...stateDirectory]);
    expect([restored.code, restored.stderr]).toEqual([0, '']);
    expect(await lab.user.snapshot()).toBe(networkBefore);
    expect(await seen()).toBe(addresses.user.ipv4);
  }
});

if (isExhaustive)
  test('asks on the terminal what the gateway asks, and leaves the network as it was at Ctrl-C there', async ({
    commandLine,
    signInForCodes,
    helper: _helper,
    lab,
  }) => {
    const nextCode = await signInForCodes();
    const stopped = await commandLine.start(['connect'], /one-time|OTP/i);
    stopped.kill('SIGINT');
    expect(await once(stopped, 'close')).toEqual([130, null]);
    expect(await commandLine.json(['status'])).toMatchObject({ tunnel: { state: 'disconnected' } });
    expect((await lab.user.probe.http4('direct'))?.address).toBe(addresses.user.ipv4);
    // Nobody types, and nothing is piped.
    const unanswered = await commandLine.run(['connect'], { input: '' });
    expect([unanswered.code, unanswered.stdout]).toEqual([5, '']);

    const asked = await commandLine.start(['connect'], /Password: /);
    asked.stdin?.end(`${nextCode()}\n`);
    expect(await once(asked, 'close')).toEqual([0, null]);
    expect((await lab.user.probe.http4('inside'))?.address).toBe(addresses.gateway.ipv4);
    await commandLine.succeed(['disconnect']);
  });

if (isExhaustive)
  test('ended by timeout(1) while the tunnel is opened, it leaves none', async ({
    signedInCommandLine: commandLine,
    lab,
  }) => {
    await using slow = new AsyncDisposableStack();
    slow.use(await lab.delay(200));
    const ended = await commandLine.start(['connect'], /Opening the tunnel/);
    // To the process, and to its group.
    ended.kill('SIGTERM');
    await delay(50);
    ended.kill('SIGTERM');
    expect(await once(ended, 'close')).toEqual([130, null]);
    expect(await commandLine.json(['status'])).toMatchObject({ tunnel: { state: 'disconnected' } });
  });

test('the daemon gives the core to the desktop app, with the tunnel up, and has it again after it', async ({
  commandLine,
  service,
  helper: _helper,
  launch,
  lab,
  email,
  keyring,
  directory,
  networkBefore,
}) => {
  Object.assign(commandLine.env, keyring.env);
  const { run, json, succeed } = commandLine;
  // As the user service runs it.
  const { pid } = await commandLine.start(['daemon', '--service'], /has the core/);
  await signInByCommand(commandLine, service, email);
  await commandLine.succeed(['connect']);
  const daemon = commandLine.daemon();
  expect(daemon, 'there is no second one').toBe(pid);
  if (isExhaustive) {
    const elsewhere = {
      ...commandLine.env,
      XDG_RUNTIME_DIR: await mkdtemp(path.join(tmpdir(), 'waymaker-run-')),
    };
    const second = await commandLine.run(['daemon'], { env: elsewhere });
    expect([second.code, await readdir(path.join(elsewhere.XDG_RUNTIME_DIR, 'waymaker'))]).toEqual([1, []]);
    await rm(elsewhere.XDG_RUNTIME_DIR, { recursive: true });
  }
  expect(await commandLine.json(['status'])).toMatchObject({ keptIn: 'keychain', core: { pid } });

  const app = await launch({ env: keyring.env });
  await expect(new ConnectRoute(app.page).status('connect.connected')).toBeVisible();
  expect(commandLine.daemon(), 'another process has the lock').not.toBe(daemon);
  expect((await lab.user.probe.http4('still'))?.address).toBe(addresses.gateway.ipv4);
  expect(await commandLine.json(['status'])).toMatchObject({
    tunnel: { state: 'connected' },
    signedIn: true,
    core: { kind: 'app' },
  });
  // What the command line does is seen in the window.
  await commandLine.succeed(['disconnect']);
  await expect(new ConnectRoute(app.page).status('connect.disconnected')).toBeVisible();
  await app.quit();
  await eventually('the service has the core again', () => (commandLine.daemon() === pid ? true : undefined));
  expect(await json(['status'])).toMatchObject({ signedIn: true, core: { kind: 'daemon', pid } });

  // Without the service, a command starts a daemon, which finds the sign-in.
  await commandLine.end();
  await succeed(['connect']);
  await test.step('another user is refused at its socket, even where its folder lets them in', async () => {
    await expectOtherUserRefused();
  });
  await test.step('reset asks first, and then the user’s files, the sign-in and the tunnel are gone', async () => {
    await expectReset();
  });

  async function expectOtherUserRefused(): Promise<void> {
    const { folder } = commandLine;
    const sockets = (await readdir(folder)).filter((name) => name.endsWith('.sock'));
    const socket = path.join(folder, sockets[0] ?? '');
    const script = `
      const rpc = require('node:net').connect(process.argv[1]);
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'core.hello', params: [
        { protocolVersion: 1, client: { name: 'test', version: '1' } }] });
      rpc.on('error', (error) => console.log(error.code));
      rpc.on('data', (data) => { console.log('answered'); rpc.destroy(); });
      rpc.on('close', () => console.log('closed'));
      rpc.write('Content-Length: ' + body.length + '\\r\\n\\r\\n' + body);`;
    const argv = [process.execPath, '-e', script, socket];
    expect((await lab.user.exec(argv)).stdout).toContain('answered');
    expect((await execAsSecondUser(lab.user, argv)).stdout).toMatch(/EACCES/);
    const opened = [directory, path.dirname(folder), folder, socket];
    const modes = await Promise.all(opened.map(async (file) => (await stat(file)).mode & 0o7777));
    for (const file of opened) await chmod(file, 0o777);
    const { stdout } = await execAsSecondUser(lab.user, argv);
    expect(stdout).toContain('closed');
    expect(stdout).not.toContain('answered');
    // The core serves from no folder that is open to others.
    for (const [index, file] of opened.entries()) await chmod(file, modes[index] ?? 0);
  }

  async function expectReset(): Promise<void> {
    const profile = path.join(directory, 'app');
    const refused = await run(['reset'], { input: 'no\n' });
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain(profile);
    expect(await json(['status'])).toMatchObject({ signedIn: true, tunnel: { state: 'connected' } });

    expect(await succeed(['reset', '--yes'])).toContain(profile);
    expect(existsSync(profile)).toBe(false);
    await expect.poll(() => lab.user.snapshot()).toBe(networkBefore);
    expect(await json(['status'])).toMatchObject({ signedIn: false });
  }
});

if (isExhaustive)
  test('a connect that waits for an answer goes on with the desktop app that has started meanwhile', async ({
    commandLine,
    signInForCodes,
    helper: _helper,
    launch,
    keyring,
  }) => {
    Object.assign(commandLine.env, keyring.env);
    const nextCode = await signInForCodes();
    const waiting = await commandLine.start(['connect'], /Password: /);
    let output = '';
    waiting.stderr?.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const app = await launch({ env: keyring.env });
    await expect.poll(() => output).toMatch(/taken over[^]*Password: /);
    waiting.stdin?.end(`${nextCode()}\n`);
    expect(await once(waiting, 'close')).toEqual([0, null]);
    expect(await commandLine.json(['status'])).toMatchObject({
      core: { kind: 'app' },
      tunnel: { state: 'connected' },
    });
    await commandLine.succeed(['disconnect']);
    await app.quit();
  });

if (isExhaustive)
  test('a sign-in that only the daemon can read is said to be lost when the app takes over', async ({
    commandLine,
    signInForCodes,
    helper: _helper,
    launch,
  }) => {
    await signInForCodes();
    expect(await commandLine.json(['status'])).toMatchObject({ keptIn: 'helper' });
    const waiting = await commandLine.start(['connect', '--json'], /Password: /);
    let output = '';
    waiting.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()));
    // It may have ended before the app has its window.
    const closed = once(waiting, 'close');
    await launch();
    expect(await closed).toEqual([3, null]);
    expect(commandError.parse(JSON.parse(output)).error.code).toBe('sign-in-lost');
  });

if (isExhaustive)
  test('connects once what the helper lacked has been installed', async ({
    signedInCommandLine: commandLine,
    helper,
    lab,
  }) => {
    await helper.stop();
    await helper.start(['--engine-user', 'vpn-engine']);
    const refused = await commandLine.run(['connect', '--json']);
    expect(refused.code).toBe(4);
    expect(commandError.parse(JSON.parse(refused.stdout)).error.code).toBe('engine-absent');
    await lab.user.run([
      'sh',
      '-c',
      'echo vpn-engine:x:64902:64902::/:/bin/false >>/etc/passwd && echo vpn-engine:x:64902: >>/etc/group',
    ]);
    await commandLine.succeed(['connect']);
    await commandLine.run(['disconnect']);
    await helper.stop();
    await helper.start();
  });

test('says what to do where its files cannot be kept', async ({ commandLine }) => {
  const { PATH = '' } = process.env;
  // Nobody's uid: no account says where their home is.
  const reads = '+dac_read_search';
  const user = words(`setpriv --reuid 64930 --clear-groups --inh-caps ${reads} --ambient-caps ${reads}`);
  const by = (...env: string[]) => ({ under: [...user, 'env', '-i', `PATH=${PATH}`, ...env] });
  const unset = await commandLine.run(['status'], by());
  expect([unset.code, unset.stderr]).toEqual([1, expect.stringMatching(/^HOME is not set.*\n$/)]);
  const others = await commandLine.run(['status', '--json'], by('HOME=/nonexistent'));
  expect(others.code).toBe(1);
  const { code, message } = commandError.parse(JSON.parse(others.stdout)).error;
  expect(code).toBe('no-data-folder');
  expect(message).toContain('/nonexistent/.config/Waymaker. Is HOME your own folder?');
});

if (isExhaustive)
  test('a daemon whose folder is gone, as after a logout, ends, and the next command has another', async ({
    commandLine,
  }) => {
    const { folder, json } = commandLine;
    await json(['status']);
    const daemon = commandLine.daemon() ?? 0;
    expect(processStartTime(daemon)).toBeDefined();
    await rm(folder, { recursive: true });
    await eventually('it has ended', () => (processStartTime(daemon) === undefined ? true : undefined));
    await json(['status']);
    expect(commandLine.daemon()).toBeDefined();
  });
