import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { addresses, names, ports, type AddressPair, type Place } from '../addresses.ts';
import { answerDns, isIpv6Question } from '../dns-answer.ts';
import { createGateway, type Gateway } from '../gateway/gateway.ts';
import { makeCertificate } from '../gateway/certificate.ts';
import { createService, type ServiceFacts } from '../service.ts';
import { ipv4Bytes, ipv6Bytes } from '../packets/frame.ts';
import type { FarSide } from '../checks/surroundings.ts';
import { serveHost } from '../hosts/serve-host.ts';
import { hardwareAddress, ip } from './ip.ts';
import { ipv6IsOn } from './ipv6-support.ts';
import { createNamespaces, type NetworkNamespace } from './network-namespaces.ts';
import { openPacketSocket } from './sockets.ts';
import { openTunnelEnd } from './tunnel-end.ts';
import type { PacketSocket } from '../checks/packet-socket.ts';

/** The computer's uplink, the other end of its wire, and the gateway's end of the tunnel. */
export const devices = { uplink: 'uplink', wire: 'wire0', tunnel: 'tunnel0' } as const;

/**
 * A small internet around a computer: its router and neighbours, a resolver, hosts, the service and the gateway, in one
 * network namespace, and what is behind the gateway in another. Both have the same hosts, so that an answer says by
 * which way it was asked.
 */
export interface World {
  readonly farSide: FarSide;
  /** The authority that has signed the gateway's certificate, as PEM: itself. */
  readonly authority: string;
  readonly hasIpv6: boolean;
  /** The computer's hardware address at the uplink, and that of the other end. */
  readonly hardware: { uplink: string; wire: string };
  /** Frames at both ends of the uplink's wire; throws if the system has no such sockets. */
  openWire(): { near: PacketSocket; far: PacketSocket };
  close(): void;
}

export interface WorldOptions {
  /** Without the gateway's name. */
  service: Omit<ServiceFacts, 'gateway'>;
  credentials: { username: string; password: string };
}

/** The largest packet in the tunnel, in bytes: fits into Ethernet by DTLS and IPv6. */
const tunnelMtu = 1_390;

/** Makes it; this thread is in the computer's network, before and after. */
export async function createWorld(options: WorldOptions): Promise<World> {
  const { home, others } = createNamespaces(2);
  const [outside, inside] = others as [NetworkNamespace, NetworkNamespace];
  const hasIpv6 = ipv6IsOn();
  /** Texts that were brought to hosts, and names with the resolvers that were asked for them. */
  const heard: Record<Place, string[]> = { outside: [], inside: [] };
  const closing: (() => void)[] = [];
  const families = hasIpv6 ? (['ipv4', 'ipv6'] as const) : (['ipv4'] as const);
  const of = (pair: AddressPair) => families.map((family) => pair[family]);

  for (const namespace of [home, outside, inside]) namespace.within(() => prepareKernel(hasIpv6));
  for (const namespace of [outside, inside]) namespace.within(() => setKernel(forwarding(hasIpv6)));
  ip([
    'link set lo up',
    `link add ${devices.uplink} type veth peer name ${devices.wire} netns ${outside.path}`,
    `link set ${devices.uplink} up`,
  ]);
  outside.within(() => {
    ip(['link set lo up', `link set ${devices.wire} up`, ...local(outsideHosts, hasIpv6)]);
    ip([
      ...attached(addresses.router.ipv4, 24, devices.wire),
      ...attached(addresses.neighbour.ipv4, 24, devices.wire),
      ...(hasIpv6
        ? [addresses.router.ipv6, addresses.neighbour.ipv6].flatMap((one) => attached(one, 64, devices.wire))
        : []),
    ]);
  });
  ip([
    ...attached(addresses.user.ipv4, 24, devices.uplink),
    ...(hasIpv6
      ? [addresses.user.ipv6, addresses.userLocal6].flatMap((one) => attached(one, 64, devices.uplink))
      : []),
    ...defaultRoutes(hasIpv6),
  ]);

  const certificate = makeCertificate(names.gateway, Date.now());
  const gateway = createGateway({
    certificate,
    credentials: options.credentials,
    port: ports.gateway,
    pushed: {
      addresses: addresses.tunnel,
      resolvers: of(addresses.tunnelResolver),
      mtu: tunnelMtu,
    },
    onPacket: (packet) => end.write(packet),
  });
  const end = inside.within(() => openTunnelEnd(devices.tunnel, (packet) => gateway.send(packet)));
  closing.push(
    () => gateway.close(),
    () => end.close(),
  );
  inside.within(() =>
    ip([
      'link set lo up',
      `link set ${devices.tunnel} mtu ${tunnelMtu} up`,
      ...local([...sharedHosts, addresses.tunnelResolver], hasIpv6),
      ...attached(addresses.tunnelEnd.ipv4, 24, devices.tunnel),
      ...(hasIpv6 ? attached(addresses.tunnelEnd.ipv6, 64, devices.tunnel) : []),
    ]),
  );

  const service = createService({
    ...options.service,
    gateway: { domain: names.gateway, port: ports.gateway, ...options.credentials },
  });
  closing.push(() => service.close());
  const serve = async (place: Place) => {
    for (const host of of(addresses.service)) await service.listen(host, ports.http);
    const hosts = [addresses.host, addresses.other].flatMap(of);
    for (const host of hosts)
      closing.push(
        ...(await serveHost({ host, port: ports.http, echoPort: ports.echo, place, heard: heard[place] })),
      );
    const resolvers = [
      ...of(addresses.resolver),
      ...(place === 'inside' ? of(addresses.tunnelResolver) : [addresses.router.ipv4]),
    ];
    for (const resolver of resolvers) closing.push(await serveNames(resolver, place, hasIpv6, heard[place]));
  };
  await outside.whileWithin(async () => {
    await serve('outside');
    closing.push(
      ...(await serveHost({
        host: addresses.neighbour.ipv4,
        port: ports.http,
        echoPort: ports.echo,
        place: 'outside',
        heard: heard.outside,
      })),
    );
    for (const address of of(addresses.gateway)) await gateway.listen(address);
  });
  await inside.whileWithin(() => serve('inside'));

  return {
    farSide: farSideOf(gateway, heard),
    authority: certificate.certificate,
    hasIpv6,
    hardware: {
      uplink: hardwareAddress(devices.uplink),
      wire: outside.within(() => hardwareAddress(devices.wire)),
    },
    openWire() {
      const near = openPacketSocket(devices.uplink);
      try {
        return { near, far: outside.within(() => openPacketSocket(devices.wire)) };
      } catch (error) {
        near.close();
        throw error;
      }
    },
    close() {
      for (const close of closing) close();
    },
  };
}

const farSideOf = (gateway: Gateway, heard: Record<Place, readonly string[]>): FarSide => ({
  counts: () => Promise.resolve(gateway.counts()),
  heard: (place, token) => Promise.resolve(heard[place].filter((text) => text.includes(token))),
  async away(first, meanwhile) {
    first();
    gateway.setDeaf(true);
    try {
      return await meanwhile();
    } finally {
      gateway.setDeaf(false);
    }
  },
});

const sharedHosts = [addresses.service, addresses.resolver, addresses.host, addresses.other];
const outsideHosts = [...sharedHosts, addresses.gateway];

const local = (pairs: readonly AddressPair[], hasIpv6: boolean): string[] =>
  pairs.flatMap(({ ipv4, ipv6 }) => [
    `address add ${ipv4}/32 dev lo`,
    ...(hasIpv6 ? [`address add ${ipv6}/128 dev lo nodad`] : []),
  ]);

const attached = (address: string, prefix: number, device: string): string[] => [
  `address add ${address}/${prefix} dev ${device}${address.includes(':') ? ' nodad' : ''}`,
];

const defaultRoutes = (hasIpv6: boolean): string[] => [
  `route add default via ${addresses.router.ipv4} dev ${devices.uplink}`,
  ...(hasIpv6 ? [`route add default via ${addresses.router.ipv6} dev ${devices.uplink}`] : []),
];

function prepareKernel(hasIpv6: boolean): void {
  // Otherwise each new address is tentative for a second (RFC 4862 §5.4).
  if (hasIpv6) setKernel(['ipv6/conf/all/accept_dad=0', 'ipv6/conf/default/accept_dad=0']);
}

const forwarding = (hasIpv6: boolean) => [
  'ipv4/ip_forward=1',
  ...(hasIpv6 ? ['ipv6/conf/all/forwarding=1'] : []),
];

/** Parameters of this thread's network, as path and value. */
function setKernel(settings: readonly string[]): void {
  for (const setting of settings) {
    const [name = '', value = ''] = setting.split('=');
    writeFileSync(`/proc/sys/net/${name}`, value);
  }
}

/** A resolver, to which every name of the self-test leads somewhere; `where` says which one was asked. */
async function serveNames(
  resolver: string,
  place: Place,
  hasIpv6: boolean,
  heard: string[],
): Promise<() => void> {
  const known: Readonly<Record<string, AddressPair>> = {
    [names.gateway]: addresses.gateway,
    [names.service]: addresses.service,
    [names.where]: place === 'inside' ? addresses.host : addresses.other,
  };
  const find = (name: string) =>
    known[name] ?? (name.endsWith(`.${names.probes}`) ? addresses.other : undefined);
  const socket = createSocket(resolver.includes(':') ? 'udp6' : 'udp4');
  socket.on('message', (query, { address, port }) => {
    const answer = answerDns(query, (question) => {
      heard.push(`${question.name} at ${resolver}`);
      const found = find(question.name);
      if (!found) return undefined;
      if (!isIpv6Question(question)) return ipv4Bytes(found.ipv4);
      // The gateway is reached by IPv4, as most are.
      return hasIpv6 && question.name !== names.gateway ? ipv6Bytes(found.ipv6) : undefined;
    });
    if (answer) socket.send(answer, port, address);
  });
  socket.on('error', () => undefined);
  socket.bind(ports.dns, resolver);
  await once(socket, 'listening');
  return () => socket.close();
}
