import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Capture } from '../../../helper/modes/routing-plan.ts';
import type { LocalExceptions } from '../../../helper/modes/local-exceptions.ts';
import type { NearbyNetworks } from '../../../helper/network/nearby-networks.ts';
import { groupMark } from '../../../helper/linux/groups/group-mark.ts';
import { addLines, removeLines, rulesOf } from '../../../helper/linux/routing/router-rules.ts';
import { addresses } from '../../lab/network/addresses.ts';
import { takeLab } from '../../lab/kept-labs.ts';
import type { Lab } from '../../lab/lab.ts';
import { words } from '../../lab/runs/process.ts';

/** Which way the kernel, with the helper's rules, sends what is for the gateway's host, wherever that is. */

let lab: Lab;
const tunnelTable = 5187;
const engine = { uid: 64_000, gid: 64_000 };
const accounts = { engine, proxy: { uid: 64_001, gid: 64_001 } };
const { bridge, container, neighbour, gateway, router } = addresses;

const made = [
  'tuntap add dev wm0 mode tun',
  'link add docker0 type bridge',
  'link set wm0 up',
  'link set docker0 up',
  `address add ${bridge.ipv4}/16 dev docker0`,
  `address add ${bridge.ipv6}/64 dev docker0 nodad`,
];
const tunnelRoute = `route add default dev wm0 table ${tunnelTable}`;

beforeAll(async () => {
  lab = await takeLab({ gateway: false });
  await lab.user.run(['ip', '-batch', '-'], { input: made.join('\n') });
  await batch([tunnelRoute]);
  await batch([tunnelRoute], 6);
});

afterAll(async () => {
  await batch(['link del wm0', 'link del docker0']);
  await lab[Symbol.asyncDispose]();
});

const batch = (lines: readonly string[], family: 4 | 6 = 4) =>
  lab.user.run(['ip', `-${family}`, '-batch', '-'], { input: lines.join('\n') });

const networks: NearbyNetworks = {
  local: ['192.168.37.0/24', 'fd57:4159:1::/64'],
  attachedPublic: ['192.0.2.0/24', '2001:db8:1::/64'],
  onLink: ['192.168.37.0/24', 'fd57:4159:1::/64', '192.0.2.0/24', '2001:db8:1::/64'],
  internal: { devices: ['docker0'], prefixes: ['172.17.0.0/16', 'fd57:4159:17::/64'], unused: [] },
  bridges: [],
};

type Way = 'tunnel' | 'link' | 'containers';
const wayOf: Record<string, Way> = { wm0: 'tunnel', uplink: 'link', docker0: 'containers' };

const owner = '1000';
/** Whose packets belong in the tunnel, and how one of these senders is told from others. */
const captured = {
  everybody: { kind: 'everything', sender: 'uid 0' },
  'the group of programs': { kind: 'group', sender: `uid 0 mark ${groupMark(owner)}` },
} as const;

/** The ways of what somebody sends to the host, of look-ups there, and of what a packet filter asks for its answers. */
async function waysTo(address: string, capture: Capture, sender: string) {
  const family = address.includes(':') ? 6 : 4;
  const others = addresses.untrustedGateway[family === 4 ? 'ipv4' : 'ipv6'];
  const rules = rulesOf(
    family,
    {
      capture,
      networks,
      gateway: { address, otherAddresses: [others], port: 443 },
      tunnelAddresses: [],
      resolvers: [],
      owner,
    },
    accounts,
    tunnelTable,
  );
  const ask = async (selector: string): Promise<Way | undefined> => {
    const found = await lab.user.run(words(`ip -${family} route get ${address} ${selector}`.trim()));
    return wayOf[/ dev (\S+)/.exec(found)?.[1] ?? ''];
  };
  await batch(addLines(rules).trim().split('\n'), family);
  try {
    return {
      engine: await ask(`uid ${engine.uid} ipproto tcp dport 443`),
      page: await ask(`${sender} ipproto tcp dport 80`),
      datagram: await ask(`${sender} ipproto udp dport 9`),
      ping: await ask(`${sender} ipproto ${family === 4 ? 'icmp' : 'ipv6-icmp'}`),
      lookUp: await ask(`${sender} ipproto udp dport 53`),
      answers: await ask(''),
    };
  } finally {
    await batch(removeLines(rules).trim().split('\n'), family);
  }
}

const closed: LocalExceptions = { exceptLocalNetworks: false };
const open: LocalExceptions = { exceptLocalNetworks: true };
const named: LocalExceptions = { ...open, localPrefixes: ['192.0.2.0/24', '2001:db8:1::/48'] };

const all = (way: Way) => ({ page: way, datagram: way, ping: way });
const elsewhere = { engine: 'link', ...all('tunnel'), lookUp: 'tunnel', answers: 'link' };
const local = { engine: 'link', ...all('link'), lookUp: 'tunnel', answers: 'link' };
const inside = { engine: 'containers', ...all('containers'), lookUp: 'containers', answers: 'containers' };

describe.each(Object.entries(captured))('where %s is captured', (_whose, { kind, sender }) => {
  test.each([
    ['far away', gateway, { closed: elsewhere, open: elsewhere, named: elsewhere }],
    ['on a private network', neighbour, { closed: elsewhere, open: local, named: local }],
    ['on a public network', router, { closed: elsewhere, open: elsewhere, named: local }],
    ['in a container', container, { closed: inside, open: inside, named: inside }],
  ] as const)(
    'a gateway’s host %s is reached as any other host there is, and the gateway past the tunnel',
    async (_where, host, ways) => {
      for (const address of Object.values(host))
        expect({
          closed: await waysTo(address, { kind, ...closed }, sender),
          open: await waysTo(address, { kind, ...open }, sender),
          named: await waysTo(address, { kind, ...named }, sender),
        }).toEqual(ways);
    },
  );
});
