import { rmSync } from 'node:fs';
import koffi from 'koffi';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { constants, withoutHeader } from '../../../../helper/macos/calls/darwin.ts';
import { openEchoSocket } from '../../../../helper/macos/calls/echo-socket.ts';
import { createInterfaceCalls } from '../../../../helper/macos/calls/interface-calls.ts';
import { CallFailed, createLibc, type Libc } from '../../../../helper/macos/calls/libc.ts';
import { readPeer } from '../../../../helper/macos/calls/peer-token.ts';
import { createRouteCalls } from '../../../../helper/macos/calls/routing-socket.ts';
import { openUtunSocket } from '../../../../helper/macos/calls/utun.ts';
import { readPeerPid } from '../../../../src/node/os/macos/peer-pid.ts';
import { buildDouble } from '../../../lab/darwin/build-double.ts';
import { whyWithoutHeaders } from '../../../lab/darwin/compile-for-macos.ts';

// What arrives at a library that is compiled with Apple's headers and reads it by these.
const without = whyWithoutHeaders();

interface Double {
  /** The calls since the last look, decoded. */
  calls(): Record<string, unknown>[];
  failNext(errno: number): void;
}

describe.skipIf(without)(
  `a double with Apple's headers${without === undefined ? '' : `: ${without}`}`,
  () => {
    let directory = '';
    let library: string;
    let libc: Libc;
    let double: Double;

    beforeAll(() => {
      const built = buildDouble('kernel');
      ({ directory, library } = built);
      libc = createLibc(library);
      const loaded = koffi.load(library);
      const lines = loaded.func('const char *double_lines(void)') as () => string;
      const clear = loaded.func('void double_clear(void)') as () => void;
      const fail = loaded.func('void double_fail(int)') as (errno: number) => void;
      double = {
        calls() {
          const found = lines().split('\n').filter(Boolean);
          clear();
          return found.map((line) => JSON.parse(line) as Record<string, unknown>);
        },
        failNext: fail,
      };
    });
    beforeEach(() => void double.calls());
    afterAll(() => rmSync(directory, { recursive: true, force: true }));

    const except = (calls: Record<string, unknown>[], ...names: string[]) =>
      calls.filter(({ call }) => !names.includes(String(call)));

    test('a utun is made of a control socket, and says its name', () => {
      const socket = openUtunSocket(libc);
      expect(double.calls()).toEqual([
        { call: 'socket', domain: constants.AF_SYSTEM, type: constants.SOCK_DGRAM, protocol: 2 },
        { call: 'fcntl', fd: 1032, command: constants.F_SETFD, value: constants.FD_CLOEXEC },
        { call: 'ioctl', fd: 1032, request: 'CTLIOCGINFO', name: 'com.apple.net.utun_control' },
      ]);
      expect(socket.makeDevice()).toBe('utun9');
      expect(double.calls()).toEqual([
        {
          call: 'connect',
          fd: 1032,
          length: 32,
          sc_len: 32,
          sc_family: 32,
          ss_sysaddr: 2,
          sc_id: 7,
          sc_unit: 0,
        },
        { call: 'getsockopt', fd: 1032, level: withoutHeader.SYSPROTO_CONTROL, option: 2 },
      ]);
    });

    test('a utun that cannot be made leaves no descriptor', () => {
      const socket = openUtunSocket(libc);
      double.calls();
      double.failNext(constants.EPERM);
      expect(() => socket.makeDevice()).toThrow(CallFailed);
      double.calls();
      double.failNext(constants.EPERM);
      expect(() => openUtunSocket(libc)).toThrow('socket failed with errno 1');
    });

    const flags = constants.RTF_UP | constants.RTF_STATIC | constants.RTF_PROTO1;

    test.each([
      [
        'into the tunnel',
        { prefix: '10.1.0.0/16', way: { kind: 'interface', index: 12 }, scope: undefined } as const,
        { rtm_flags: flags, rtm_index: 0, dst: '0a010000', gateway: 12, netmask: 'ffff0000' },
      ],
      [
        'into the tunnel with IPv6',
        { prefix: '8000::/1', way: { kind: 'interface', index: 12 }, scope: undefined } as const,
        {
          rtm_flags: flags,
          rtm_index: 0,
          dst: `8${'0'.repeat(31)}`,
          gateway: 12,
          netmask: `8${'0'.repeat(31)}`,
        },
      ],
      [
        'to nowhere',
        { prefix: '128.0.0.0/1', way: { kind: 'refused' }, scope: undefined } as const,
        {
          rtm_flags: flags | constants.RTF_GATEWAY | constants.RTF_REJECT,
          rtm_index: 0,
          dst: '80000000',
          gateway: '7f000001',
          netmask: '80000000',
        },
      ],
      [
        'of one address by a router',
        {
          prefix: '192.0.2.1/32',
          way: { kind: 'router', address: '192.168.1.1' },
          scope: undefined,
        } as const,
        {
          rtm_flags: flags | constants.RTF_GATEWAY | constants.RTF_HOST,
          rtm_index: 0,
          dst: 'c0000201',
          gateway: 'c0a80101',
        },
      ],
      [
        'for sockets of the device',
        { prefix: '0.0.0.0/0', way: { kind: 'interface', index: 12 }, scope: 12 } as const,
        {
          rtm_flags: flags | constants.RTF_IFSCOPE,
          rtm_index: 12,
          dst: '00000000',
          gateway: 12,
          netmask: '00000000',
        },
      ],
    ])('a route %s arrives as it was meant', (_, route, expected) => {
      const routes = createRouteCalls(libc);
      expect(routes.add(route)).toBe('added');
      expect(routes.remove(route)).toBe('removed');
      const writes = double.calls().filter(({ call }) => call === 'write');
      expect(writes.map(({ rtm_type }) => rtm_type)).toEqual([constants.RTM_ADD, constants.RTM_DELETE]);
      for (const write of writes) {
        expect(write).toMatchObject({ ...expected, rtm_version: 5 });
        // The header says how long the message is, and nothing is left behind its last address.
        expect(write['rtm_msglen']).toBe(write['bytes']);
        expect(write['decoded']).toBe(write['bytes']);
      }
    });

    test('a route that is there already, or not there, is no failure', () => {
      const route = { prefix: '10.0.0.0/8', way: { kind: 'refused' }, scope: undefined } as const;
      /** The socket comes first. */
      const failing = (errno: number) =>
        createRouteCalls({
          ...libc,
          write(...given) {
            double.failNext(errno);
            libc.write(...given);
          },
        });
      expect(failing(constants.EEXIST).add(route)).toBe('exists');
      expect(failing(constants.ESRCH).remove(route)).toBe('absent');
      expect(() => failing(constants.EPERM).add(route)).toThrow('cannot add the route to 10.0.0.0/8');
      // Each has closed its socket.
      const calls = double.calls();
      expect(calls.filter(({ call }) => call === 'close')).toHaveLength(
        calls.filter(({ call }) => call === 'socket').length,
      );
    });

    test('the routing table is read with masks that end early, and without cloned routes', () => {
      expect(createRouteCalls(libc).table()).toEqual([
        {
          prefix: '0.0.0.0/0',
          way: { kind: 'router', address: '192.168.1.1' },
          scope: undefined,
          isOurs: false,
          interface: 4,
        },
        {
          prefix: '0.0.0.0/0',
          way: { kind: 'router', address: '192.168.1.1' },
          scope: 4,
          isOurs: false,
          interface: 4,
        },
        {
          prefix: '192.168.1.0/24',
          way: { kind: 'interface', index: 4 },
          scope: undefined,
          isOurs: false,
          interface: 4,
        },
        { prefix: '128.0.0.0/1', way: { kind: 'refused' }, scope: undefined, isOurs: true, interface: 1 },
        {
          prefix: '2001:db8::99/128',
          way: { kind: 'router', address: 'fe80::1' },
          scope: undefined,
          isOurs: false,
          interface: 4,
        },
      ]);
      expect(double.calls()).toEqual([{ call: 'sysctl', name: [4, 17, 0, 0, 1, 0] }]);
    });

    test('interfaces are read with their addresses and what they have carried', () => {
      expect(createInterfaceCalls(libc).list()).toEqual([
        {
          index: 9,
          name: 'utun9',
          isUp: true,
          isLoopback: false,
          mtu: 1400,
          addresses: ['10.66.0.5/32'],
          received: { bytes: 5_000_000_000, packets: 12, multicast: 2 },
          sent: { bytes: 70 },
        },
      ]);
    });

    test('an interface gets its MTU, its addresses and the flag that brings it up, and an address can be removed', () => {
      const interfaces = createInterfaceCalls(libc);
      interfaces.setMtu('utun9', 1400);
      interfaces.setUp('utun9');
      interfaces.addAddress('utun9', '10.66.0.5');
      interfaces.addAddress('utun9', 'fd66::5');
      expect(interfaces.removeAddress('utun9', '10.66.0.5')).toBe('removed');
      expect(interfaces.removeAddress('utun9', 'fd66::5')).toBe('removed');
      const ipv6 = 'fd660000000000000000000000000005';
      const of = (domain: number) => ({ call: 'ioctl', fd: 1000 + domain, name: 'utun9' });
      const [inet, inet6] = [constants.AF_INET, constants.AF_INET6];
      expect(except(double.calls(), 'socket', 'close')).toEqual([
        { ...of(inet), request: 'SIOCSIFMTU', mtu: 1400 },
        { ...of(inet), request: 'SIOCGIFFLAGS' },
        { ...of(inet), request: 'SIOCSIFFLAGS', flags: constants.IFF_POINTOPOINT | constants.IFF_UP },
        { ...of(inet), request: 'SIOCAIFADDR', own: '0a420005', other: '0a420005', mask: 'ffffffff' },
        {
          ...of(inet6),
          request: 'SIOCAIFADDR_IN6',
          own: ipv6,
          mask: 'f'.repeat(32),
          valid: 0xffff_ffff,
          wanted: 0xffff_ffff,
        },
        { ...of(inet), request: 'SIOCDIFADDR', own: '0a420005' },
        { ...of(inet6), request: 'SIOCDIFADDR_IN6', own: ipv6 },
      ]);
    });

    test('echo requests are sent by a socket that needs no privileges, from one address', () => {
      expect(openEchoSocket(libc, '10.66.0.5')).toBe(1002);
      expect(openEchoSocket(libc, 'fd00::5')).toBe(1030);
      const open = (domain: number, protocol: number, own: string, length: number) => {
        const fd = 1000 + domain;
        return [
          { call: 'socket', domain, type: constants.SOCK_DGRAM, protocol },
          { call: 'fcntl', fd, command: constants.F_SETFD, value: constants.FD_CLOEXEC },
          { call: 'fcntl', fd, command: constants.F_SETFL, value: constants.O_NONBLOCK },
          { call: 'bind', fd, length, own },
        ];
      };
      expect(double.calls()).toEqual([
        ...open(constants.AF_INET, 1, '0a420005', 16),
        ...open(constants.AF_INET6, 58, `fd00${'0'.repeat(27)}5`, 28),
      ]);
    });

    test('where the system refuses such a socket, there is none, and no descriptor stays', () => {
      double.failNext(constants.EPERM);
      expect(openEchoSocket(libc, '10.66.0.5')).toBeUndefined();
      expect(double.calls().map(({ call }) => call)).toEqual(['socket']);
    });

    test('the peer of a socket is read from the kernel', () => {
      expect(readPeer(libc, 5)).toEqual({
        token: Buffer.from(Array.from({ length: 32 }, (_, index) => index)),
        pid: 4711,
        uid: 501,
        gids: [20, 80],
      });
    });

    test('the process of a peer alone is read likewise, or else why not', () => {
      expect(readPeerPid(5, library)).toBe(4711);
      expect(double.calls()).toEqual([
        { call: 'getsockopt', fd: 5, level: constants.SOL_LOCAL, option: constants.LOCAL_PEERPID },
      ]);
      double.failNext(constants.EPERM);
      expect(() => readPeerPid(5, library)).toThrow(`errno ${constants.EPERM}`);
    });
  },
);
