import { mkdtempSync, readdirSync, readSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createLog } from '../../../../helper/log.ts';
import { createAccounts, findGroup } from '../../../../helper/macos/callers/accounts.ts';
import { createCallerIdentity } from '../../../../helper/macos/callers/caller-identity.ts';
import { readUid } from '../../../../helper/posix/read-uid.ts';
import { constants, layouts } from '../../../../helper/macos/calls/darwin.ts';
import type { CodeSignatures } from '../../../../helper/macos/calls/code-signature.ts';
import type { GroupMemberships } from '../../../../helper/macos/calls/group-membership.ts';
import { CallFailed, createLibc, type Libc } from '../../../../helper/macos/calls/libc.ts';
import { macosPlatform } from '../../../../helper/macos/macos-platform.ts';
import { createEngineHost } from '../../../../helper/macos/programs/engine-host.ts';
import { macosProxy } from '../../../../helper/macos/programs/macos-proxy.ts';
import { createSecretFile } from '../../../../helper/macos/programs/secret-file.ts';
import { parseOptions } from '../../../../helper/options.ts';
import type { Caller } from '../../../../helper/system/ports/caller-identity-port.ts';
import type { RunCommand } from '../../../../helper/posix/command.ts';
import { wifi } from '../../../lab/darwin/model/machine.ts';
import { createMacosModel } from '../../../lab/darwin/model/macos-model.ts';

let directory = '';
beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'waymaker-macos-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

/** Programs that answer so, by their command line. */
const answering =
  (answers: Readonly<Record<string, string>>, asked: string[] = []): RunCommand =>
  (name, args) => {
    const line = [name, ...args].join(' ');
    asked.push(line);
    const stdout = answers[line];
    return Promise.resolve({ status: stdout === undefined ? 1 : 0, stdout: stdout ?? '', stderr: '' });
  };

test('the platform can be created on any system without loading a library of macOS', () => {
  const options = parseOptions([], macosPlatform.options);
  expect(options.socket).toBe('/var/run/waymaker/helper.sock');
  const ports = macosPlatform.createPorts({
    ofSystem: options.ofSystem,
    stateDirectory: options.stateDirectory,
    expectUnchanged: () => undefined,
    log: createLog(() => undefined),
  });
  expect(ports.groups.isSupported()).toBe(false);
  expect(ports.device.exists()).toBe(false);
});

test('without the engine’s user, a captive portal’s proxy is refused with an error that says why', async () => {
  const ports = macosPlatform.createPorts({
    ...parseOptions([], macosPlatform.options),
    expectUnchanged: () => undefined,
    log: createLog(() => undefined),
  });
  expect(ports.portals.isSupported()).toBe(true);
  await expect(ports.portals.start([], () => undefined)).rejects.toThrow('there is no user for the portal');
});

describe('accounts', () => {
  test('are found by their names, and never root', async () => {
    const asked: string[] = [];
    const run = answering(
      { 'id -u _engine': '301\n', 'id -g _engine': '301\n', 'id -u _proxy': '0\n', 'id -g _proxy': '0\n' },
      asked,
    );
    const accounts = createAccounts(run, { engine: '_engine', proxy: '_proxy' });
    expect(await accounts.engine()).toEqual({ uid: 301, gid: 301 });
    expect(await accounts.engine()).toEqual({ uid: 301, gid: 301 });
    expect(asked).toHaveLength(2);
    expect(await accounts.proxy()).toBeUndefined();
    expect(accounts.known).toEqual({ engine: { uid: 301, gid: 301 }, proxy: undefined });
  });

  test('a group is found by its name', async () => {
    const run = answering({ 'dscl . -read /Groups/waymaker PrimaryGroupID': 'PrimaryGroupID: 701\n' });
    expect(await findGroup(run, 'waymaker')).toBe(701);
    expect(await findGroup(run, 'nobody')).toBeUndefined();
  });
});

describe('callers', () => {
  /** A kernel that says who has connected. */
  const kernelSaying = (uid: number, gids: readonly number[]): Libc => ({
    ...createLibc(null),
    getOption(_, __, option, value) {
      if (option === constants.LOCAL_PEERPID) value.writeInt32LE(4711);
      if (option === constants.LOCAL_PEERCRED) {
        value.writeUInt32LE(uid, layouts.xucred.cr_uid);
        value.writeInt16LE(gids.length, layouts.xucred.cr_ngroups);
        for (const [index, gid] of gids.entries())
          value.writeUInt32LE(gid, layouts.xucred.cr_groups + index * 4);
      }
      return value;
    },
  });

  /** Of programs that are all signed so. */
  const signedAs = (identifier: string): CodeSignatures => ({
    meets: (_, requirement) => requirement === identifier,
  });
  /** A directory in which these users are in the group. */
  const withMembers = (...uids: number[]): GroupMemberships => ({
    isMember: (uid, gid) => uids.includes(uid) && gid === policy.allowedGid,
  });
  const policy = { allowedUids: [501], allowedGid: 701, codeRequirement: undefined } as const;

  const identified = async (
    libc: Libc,
    { codeRequirement }: { codeRequirement?: string } = {},
    signatures = signedAs('ours'),
    memberships = withMembers(),
  ) => {
    const identity = createCallerIdentity({ libc, signatures, memberships }, { ...policy, codeRequirement });
    const { promise, resolve, reject } = Promise.withResolvers<Caller>();
    const file = path.join(directory, 'helper.sock');
    const server = await identity.listen(file, {
      onCaller(socket, caller) {
        resolve(caller);
        socket.destroy();
      },
      onProblem: (_, error) => reject(error),
    });
    const { connect } = await import('node:net');
    const client = connect(file).on('error', () => undefined);
    const caller = await promise;
    client.destroy();
    await server.close();
    return caller;
  };

  test.each([
    [501, [20], true, false],
    [502, [20, 701], true, false],
    [502, [20], false, false],
    [0, [0], true, true],
  ])(
    'with uid %i and groups %j, a caller is allowed: %j, and an administrator: %j',
    async (uid, gids, isAllowed, isAdministrator) => {
      expect(await identified(kernelSaying(uid, gids))).toEqual({
        user: String(uid),
        isAllowed,
        isAdministrator,
        pid: 4711,
        sharesProcessIds: true,
      });
    },
  );

  test('whoever is in more groups than the kernel names is a member by the directory (poco 5438, nix 5885)', async () => {
    // Those of an administrator, which are all that it names (BusKill 77).
    const sixteen = [20, 12, 61, 79, 80, 81, 98, 702, 703, 33, 100, 204, 250, 395, 398, 399];
    const isAllowed = async (uid: number) =>
      (await identified(kernelSaying(uid, sixteen), {}, signedAs('ours'), withMembers(502))).isAllowed;
    expect(await isAllowed(502)).toBe(true);
    expect(await isAllowed(503)).toBe(false);
  });

  test('where a signature is required, programs without it are refused, except those that root runs', async () => {
    const required = { codeRequirement: 'ours' };
    const isAllowed = async (uid: number, identifier: string) =>
      (await identified(kernelSaying(uid, [20]), required, signedAs(identifier))).isAllowed;
    expect(await isAllowed(501, 'ours')).toBe(true);
    expect(await isAllowed(501, 'another')).toBe(false);
    expect(await isAllowed(502, 'ours')).toBe(false);
    expect(await isAllowed(0, 'another')).toBe(true);
  });

  test('a socket that another process has used during the check is refused', async () => {
    const kernel = kernelSaying(501, [20]);
    let looks = 0;
    const changing: Libc = {
      ...kernel,
      getOption(descriptor, level, option, value) {
        if (option !== constants.LOCAL_PEERTOKEN) return kernel.getOption(descriptor, level, option, value);
        looks += 1;
        return value.fill(looks);
      },
    };
    expect((await identified(changing, { codeRequirement: 'ours' })).isAllowed).toBe(false);
    expect((await identified(changing)).isAllowed).toBe(true);
  });

  test.each([
    [{ allowedUids: [], allowedGid: undefined }, 0o600],
    [{ allowedUids: [], allowedGid: 701 }, 0o660],
    [{ allowedUids: [501], allowedGid: 701 }, 0o666],
    [{ allowedUids: [0], allowedGid: undefined }, 0o600],
  ])('with %j, the socket has a mode of its own', async (who, mode) => {
    const file = path.join(directory, 'helper.sock');
    const system = { libc: createLibc(null), signatures: signedAs('ours'), memberships: withMembers() };
    const identity = createCallerIdentity(system, { ...policy, ...who });
    const server = await identity.listen(file, { onCaller: () => undefined, onProblem: () => undefined });
    expect(statSync(file).mode & 0o777).toBe(mode);
    await server.close();
  });

  test('a user that is not a uid is an error', () => {
    expect(readUid('501')).toBe(501);
    expect(() => readUid('somebody')).toThrow('somebody is not a uid');
  });
});

describe('the engine', () => {
  const create = (run: RunCommand, libc: Libc = createLibc(null)) => {
    const model = createMacosModel();
    const { calls } = model.startProcess();
    const accounts = createAccounts(answering({ 'id -u _engine': '301', 'id -g _engine': '302' }), {
      engine: '_engine',
      proxy: '_proxy',
    });
    const host = createEngineHost({
      accounts,
      script: () => '/opt/engine.mjs',
      libc,
      run,
      interfaces: calls.interfaces,
      routes: calls.routes,
    });
    return { host, accounts, model };
  };

  test('is only ever our own, and becomes its user by itself', async () => {
    const { host } = create(answering({}));
    expect(() => host.ownCommand()).toThrow('there is no user for the engine');
    expect(await host.isAvailable('openconnect')).toBe(false);
    expect(await host.isAvailable('own')).toBe(true);
    const { file, args } = host.ownCommand();
    expect(file).toBe(process.execPath);
    expect(args.slice(-3)).toEqual(['/opt/engine.mjs', '--uid=301', '--gid=302']);
    expect(() => host.command('openconnect', [])).toThrow('not run on macOS');
  });

  test('left by an earlier helper is ended, and it is no failure if there is none', async () => {
    const asked: string[] = [];
    await create(answering({}, asked)).host.endLeftOver();
    expect(asked).toEqual(['pkill -KILL -u 301']);
  });

  test('has the MTU of the link that leads to the gateway', async () => {
    const { host, model } = create(answering({}));
    const found = model.machine.interfaces.get(wifi.index);
    if (found) found.mtu = 1_280;
    expect(await host.linkMtu('192.0.2.1')).toBe(1_280);
    model.machine.routes = [];
    expect(await host.linkMtu('192.0.2.1')).toBeUndefined();
  });

  test.skipIf(process.getuid?.() !== 0)('owns the sockets that the helper opens for it', async () => {
    const users: (number | undefined)[] = [];
    const refusing: Libc = {
      ...createLibc(null),
      socket() {
        users.push(process.geteuid?.());
        throw new Error('no network');
      },
    };
    const { host, accounts } = create(answering({}), refusing);
    await accounts.engine();
    expect(() => host.connect({ address: '192.0.2.1', port: 443 })).toThrow('no network');
    expect(users).toEqual([301]);
    expect(process.geteuid?.()).toBe(0);
  });

  test.skipIf(process.getuid?.() !== 0)('the proxy gets the first free port', () => {
    const calls: string[] = [];
    const inUse = new Set([28]);
    const libc: Libc = {
      ...createLibc(null),
      socket: () => (calls.push(`socket of ${process.geteuid?.()}`), 7),
      closeOnExec: () => undefined,
      setNonBlocking: () => undefined,
      setOption: () => undefined,
      bind(_, address) {
        const port = address.readUInt16BE(layouts.sockaddr_in.sin_port);
        calls.push(`bind ${port} of ${process.geteuid?.()}`);
        if (inUse.has(port)) throw new CallFailed('bind', constants.EADDRINUSE);
      },
      listen: () => void calls.push('listen'),
      close: () => void calls.push('close'),
    };
    const proxy = macosProxy(libc, answering({}));
    expect(proxy.openListener({ uid: 303, gid: 303 })).toEqual({ port: 30, descriptor: 7 });
    expect(calls).toEqual([
      'socket of 303',
      'bind 28 of 0',
      'close',
      'socket of 303',
      'bind 30 of 0',
      'listen',
    ]);
    for (const port of [30, 32]) inUse.add(port);
    expect(() => proxy.openListener({ uid: 303, gid: 303 })).toThrow('no port for the proxy is free');
    expect(proxy.bindsSources).toBe(true);
  });

  test('gets secrets in a file without a name', () => {
    using file = createSecretFile('the key', directory);
    expect(readdirSync(directory)).toEqual([]);
    const content = Buffer.alloc(16);
    expect(readSync(file.descriptor, content, 0, 16, 0)).toBe(7);
    expect(content.toString('utf8', 0, 7)).toBe('the key');
    expect(file.pathIn(5)).toBe('/dev/fd/5');
  });
});
