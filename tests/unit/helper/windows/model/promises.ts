import type { Routing } from '#shared/tunnel/state.ts';
import { isInside } from './addresses.ts';
import { gateway, owner, programs } from './helper-on-machine.ts';
import { ethernet, type Machine } from './machine.ts';
import type { Packet } from './packets.ts';

/** What is promised of packets, said anew and in other words than the adapter's. */

const browser = { file: 'C:\\Program Files\\Browser\\browser.exe', sid: owner };

export const listed = '203.0.113.9';
const listedIpv6 = '2001:db8:aaaa::9';
export const unlisted = '192.0.2.77';
const printer = '192.168.7.30';
const oldResolver = '192.0.2.53';
const remotes = [listed, listedIpv6, unlisted, '2001:db8:bbbb::9', printer, oldResolver, gateway.address];
const ports = [
  { protocol: 6, remotePort: 443 },
  { protocol: 17, remotePort: 53 },
] as const;
/** As programs do that want to go past a tunnel, or are older than it. */
const bindings = [undefined, { luid: ethernet }, { address: '192.168.7.20' }] as const;

const probes: readonly Packet[] = remotes.flatMap((remote) =>
  ports.flatMap((port) => [
    ...[browser, programs.engine, programs.proxy].flatMap((program) =>
      bindings.map((boundTo): Packet => ({
        way: 'connect',
        remote,
        localPort: 50_000,
        program,
        ...port,
        ...(boundTo && { boundTo }),
      })),
    ),
    {
      way: 'accept' as const,
      remote,
      localPort: 8_080,
      program: browser,
      ...port,
      boundTo: { luid: ethernet },
    },
  ]),
);

const describePacket = ({ way, remote, remotePort, program, boundTo }: Packet): string =>
  [way, remote, remotePort, program.file.split('\\').at(-1), boundTo ? 'bound' : ''].join(' ');

function belongsInTunnel(packet: Packet, routing: Routing): boolean {
  const isEngine = packet.program === programs.engine && packet.way === 'connect';
  if (isEngine && packet.remote === gateway.address && (packet.protocol === 17 || packet.remotePort === 443))
    return false;
  if (routing.mode === 'pac') return packet.program === programs.proxy;
  if (routing.mode === 'app') throw new Error('not offered');
  const isLookUp = packet.remotePort === 53;
  if (routing.localNetwork && packet.remote === printer && !isLookUp) return false;
  if (routing.mode === 'global') return true;
  const isListed = routing.routeIps.some((prefix) => isInside(packet.remote, prefix));
  return routing.policy === 'include' ? isListed : !isListed;
}

/** The packets that leave past the tunnel although they belong in it. */
export const leaksOf = (machine: Machine, promised: readonly Routing[]): string[] =>
  probes
    .filter((packet) => promised.every((routing) => belongsInTunnel(packet, routing)))
    .filter((packet) => machine.outcome(packet) === 'outside')
    .map(describePacket);

/** What the link needs for itself, also before there is a helper. */
export function linkFailuresOf(machine: Machine): string[] {
  const [link] = machine.ip.interfaces.filter(
    ({ luid, isLoopback }) => !isLoopback && luid !== machine.tunnel,
  );
  const system = { file: 'C:\\Windows\\System32\\svchost.exe', sid: 'S-1-5-19' };
  const dhcp = { protocol: 17, localPort: 68, remotePort: 67, program: system };
  const neighbour = { protocol: 58, remotePort: 0, program: system };
  const boundTo = { luid: link?.luid ?? 0n };
  const needed: [string, Packet][] = [
    ['an answer of DHCP', { way: 'accept', remote: '192.168.7.1', ...dhcp, boundTo }],
    ['a router’s advertisement', { way: 'accept', remote: 'fe80::1', ...neighbour, localPort: 134, boundTo }],
  ];
  return needed
    .filter(([, { remote }]) => !remote.includes(':') || machine.hasIpv6)
    .filter(([, packet]) => machine.outcome(packet) === 'refused')
    .map(([name]) => `${name} is refused`);
}

/** What does not work although it should while a tunnel is configured. */
export function failuresOf(machine: Machine, routing: Routing, hasIpv6: boolean): string[] {
  const failures: string[] = [];
  for (const packet of probes) {
    const isFree = packet.way === 'connect' && !packet.boundTo;
    if (!isFree || (packet.remote.includes(':') && !hasIpv6)) continue;
    const outcome = machine.outcome(packet);
    const isEngine = packet.program === programs.engine;
    const isProxy = packet.program === programs.proxy;
    if (packet.remote === gateway.address) {
      if (isEngine && packet.remotePort === 443 && outcome !== 'outside')
        failures.push(`the engine's packets to the gateway: ${outcome}`);
      continue;
    }
    if (isEngine || isProxy) continue;
    const isLocalLookUp = packet.remote === printer && packet.remotePort === 53;
    const isRival = packet.remote === oldResolver && packet.remotePort === 53;
    if (isLocalLookUp || (isRival && routing.mode === 'ip')) {
      if (routing.mode !== 'pac' && isRival && outcome === 'outside')
        failures.push('a look-up past the tunnel');
      continue;
    }
    const wanted = belongsInTunnel(packet, routing) ? 'tunnel' : 'outside';
    const isOnLink = packet.remote === printer && wanted === 'tunnel';
    if (isOnLink ? outcome === 'outside' : outcome !== wanted)
      failures.push(`${describePacket(packet)}: ${outcome} instead of ${wanted}`);
  }
  const own = machine.ip.addresses.find(
    ({ luid, address }) => luid === machine.tunnel && !address.includes(':'),
  );
  const inTunnel = { address: own?.address ?? 'none' };
  const proxied: Packet = {
    way: 'connect',
    remote: listed,
    protocol: 6,
    localPort: 50_001,
    remotePort: 443,
    program: programs.proxy,
    boundTo: inTunnel,
  };
  if (routing.mode === 'pac' && machine.outcome(proxied) !== 'tunnel')
    failures.push('the proxy does not reach the tunnel');
  const lease: Packet = {
    way: 'connect',
    remote: '192.168.7.1',
    protocol: 17,
    localPort: 68,
    remotePort: 67,
    program: { file: 'C:\\Windows\\System32\\svchost.exe', sid: 'S-1-5-19' },
  };
  if (machine.outcome(lease) !== 'outside') failures.push('the lease cannot be renewed');
  failures.push(...linkFailuresOf(machine));
  const stranger: Packet = {
    ...proxied,
    way: 'accept',
    localPort: 8_080,
    program: browser,
    boundTo: inTunnel,
  };
  if (machine.outcome(stranger) !== 'refused') failures.push('a stranger comes in through the tunnel');
  return failures;
}
