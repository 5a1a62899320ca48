import { isIPv6 } from 'node:net';
import { watchUplink } from '../checks/uplink-watch.ts';
import { askProgram, steadyLines, toldBy } from '../portable/ask-program.ts';
import { deviceWith, ownAddresses } from '../portable/own-addresses.ts';
import { portableProbes } from '../portable/portable-probes.ts';
import type { SelfTestHere } from '../self-test.ts';
import { bindToInterface, openBpf } from './bpf.ts';
import { readRoute } from './read-route.ts';
import { routingLines } from './routing-lines.ts';

/** Those that the installer makes (`resources/macos/installer`). */
const engineUser = '_waymaker-engine';

/** A self-test on this computer's own network, on macOS. */
export const macosHere: SelfTestHere = {
  lack() {
    if (process.getuid?.() !== 0) return { kind: 'not-root' };
    return toldBy('/usr/bin/id', ['-u', engineUser]).trim().match(/^\d+$/)
      ? undefined
      : { kind: 'no-account', account: engineUser };
  },
  folder: '/Library/Application Support/Waymaker/self-test',
  // Of 104 bytes at most (unix(4)).
  helperSocket: () => '/var/run/waymaker-self-test.sock',
  helperArguments: (engine) => ['--engine', engine],
  engines: () => ['own'],
  environment: [],
  uplinkTo(peer) {
    const way = readRoute(askProgram('/sbin/route', ['-n', 'get', peer]));
    const main = readRoute(toldBy('/sbin/route', ['-n', 'get', 'default']));
    const main6 = readRoute(toldBy('/sbin/route', ['-n', 'get', '-inet6', 'default']));
    const isOwn = deviceWith(peer) !== undefined;
    const device = isOwn ? deviceWith(peer) : way.device;
    if (device === undefined) throw new Error('there is no default route');
    const { ipv4, ipv6, hardware } = ownAddresses(device);
    return {
      device,
      address: (isIPv6(peer) ? ipv6 : ipv4) ?? peer,
      hardware,
      router: main.device === device ? main.gateway : undefined,
      // It cannot be switched off as a whole.
      hasIpv6: true,
      hasIpv6Outside: main6.device !== undefined && !main6.device.startsWith('utun'),
    };
  },
  computer({ device }) {
    const { ipv4, ipv6 } = ownAddresses(device);
    return {
      ...portableProbes({
        addresses: { ipv4, ipv6 },
        bindToDevice(socket, isV6) {
          const handle: unknown = Reflect.get(socket, '_handle') ?? undefined;
          const descriptor: unknown =
            typeof handle === 'object' && handle ? Reflect.get(handle, 'fd') : undefined;
          if (typeof descriptor === 'number' && descriptor >= 0) bindToInterface(descriptor, device, isV6);
        },
        ping: (host, source) => [
          isIPv6(host) ? '/sbin/ping6' : '/sbin/ping',
          ['-c', '1', ...(source === undefined ? [] : ['-S', source]), host],
        ],
      }),
      changeRoutes(action, routes) {
        for (const { prefix, via } of routes)
          askProgram('/sbin/route', ['-n', action, isIPv6(via) ? '-inet6' : '-inet', '-net', prefix, via]);
      },
      changeAddresses(action, addresses) {
        const word = action === 'add' ? 'alias' : '-alias';
        for (const address of addresses)
          askProgram(
            '/sbin/ifconfig',
            isIPv6(address)
              ? [device, 'inet6', address, ...(action === 'add' ? ['prefixlen', '128'] : []), word]
              : [device, 'inet', action === 'add' ? `${address}/32` : address, word],
          );
      },
      snapshot: () => ({
        addresses: steadyLines(toldBy('/sbin/ifconfig', ['-a', 'inet']), /^\w+: flags|status:/),
        routes: routingLines(toldBy('/usr/sbin/netstat', ['-rn', '-f', 'inet'])),
        'IPv6 routes': routingLines(toldBy('/usr/sbin/netstat', ['-rn', '-f', 'inet6'])),
        resolvers: steadyLines(toldBy('/usr/sbin/scutil', ['--dns']), /^reach\b/),
        proxies: steadyLines(toldBy('/usr/sbin/scutil', ['--proxy']), /^$/),
        'packet filter': steadyLines(
          ['-s rules', '-a com.apple/waymaker -s rules']
            .map((args) => toldBy('/sbin/pfctl', args.split(' ')))
            .join('\n'),
          /ALTQ/,
        ),
      }),
      engineProcesses: () =>
        toldBy('/bin/ps', ['-U', engineUser, '-o', 'pid='])
          .split('\n')
          .map(Number)
          .filter((pid) => pid > 0),
    };
  },
  openWatch({ device, hardware }) {
    const near = openBpf(device);
    try {
      return watchUplink({ near, far: openBpf(device), from: hardware });
    } catch (error) {
      near.close();
      throw error;
    }
  },
  openPacketSocket: openBpf,
  tidy: () => Promise.resolve(),
};
