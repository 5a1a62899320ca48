import { expect, test } from 'vitest';
import { createRoutingTable } from '../../../../../src/main/cli/doctor/macos/routing-table.ts';
import type { RunProgram } from '../../../../../src/main/run-program.ts';

/** A routing table as netstat(1) of macOS 14 and 15 writes it, by reports of others; it does not run here. */
const table = (rows: string) => `Routing tables

Internet:
Destination        Gateway            Flags               Netif Expire
default            192.168.1.1        UGScg                 en0
default            link#20            UCSIg               utun1
127                127.0.0.1          UCS                   lo0
192.168.1          link#14            UCS                   en0      !
192.168.1.1/32     link#14            UCS                   en0      !
${rows}`;

const table6 = (rows: string) => `Routing tables

Internet6:
Destination                             Gateway                                 Flags               Netif Expire
default                                 fe80::%utun0                            UGcIg               utun0
fe80::%en0/64                           link#14                                 UCI                   en0
${rows}`;

const answer = (lines: Record<string, string>) =>
  [
    ...Object.entries(lines).map(([key, value]) => `${key.padStart(11)}: ${value}`),
    ' recvpipe  sendpipe  ssthresh  rtt,msec    rttvar  hopcount      mtu     expire',
    '       0         0         0         0         0         0      1500         0 ',
  ].join('\n');

const outside = answer({
  'route to': '198.51.100.254',
  destination: 'default',
  mask: 'default',
  gateway: '192.168.1.1',
  interface: 'en0',
  flags: '<UP,GATEWAY,DONE,STATIC,PRCLONING,GLOBAL>',
});
const inside = answer({
  'route to': '198.51.100.254',
  destination: '128.0.0.0',
  mask: '192.0.0.0',
  interface: 'utun4',
  flags: '<UP,DONE,STATIC,PROTO1>',
});

function macWith(system: { ipv4?: string; ipv6?: string; routes?: Record<string, string> }) {
  const run: RunProgram = (name, args) => {
    const words = [name, ...args].join(' ');
    if (words === '/usr/sbin/netstat -rn -f inet') return Promise.resolve(table(system.ipv4 ?? ''));
    if (words === '/usr/sbin/netstat -rn -f inet6') return Promise.resolve(table6(system.ipv6 ?? ''));
    const route = system.routes?.[words.replace('/sbin/route -n get ', '')];
    // Which it says on the standard error, and in macOS 15 with a status of 1.
    return route === undefined
      ? Promise.reject(new Error('route: writing to routing socket: not in table'))
      : Promise.resolve(route);
  };
  return createRoutingTable(run);
}

test('an address outside the tunnel is found on the way of the default route', async () => {
  const mac = macWith({ routes: { '198.51.100.254': outside } });
  expect(await mac.routeTo('198.51.100.254')).toEqual({
    address: '198.51.100.254',
    device: 'en0',
    isTunnel: false,
    isThisMachine: false,
    isOnLink: false,
  });
});

test('the tunnel is told from others’ by the mark of the helper’s routes', async () => {
  const other = inside.replace(',PROTO1', '');
  const mac = macWith({ routes: { '198.51.100.254': inside, '-inet6 2001:db8::1': other } });
  expect(await mac.routeTo('198.51.100.254')).toMatchObject({
    device: 'utun4',
    isTunnel: true,
    isOnLink: false,
  });
  expect(await mac.routeTo('2001:db8::1')).toMatchObject({ device: 'utun4', isTunnel: false });
});

test('neighbours and this machine are told from what is behind a router', async () => {
  const neighbour = answer({
    destination: '192.168.1.0',
    interface: 'en0',
    flags: '<UP,DONE,CLONING,STATIC>',
  });
  const loopback = answer({ destination: '127.0.0.1', interface: 'lo0', flags: '<UP,HOST,DONE,LOCAL>' });
  const mac = macWith({ routes: { '192.168.1.9': neighbour, '127.0.0.1': loopback } });
  expect(await mac.routeTo('192.168.1.9')).toMatchObject({ isOnLink: true, isThisMachine: false });
  expect(await mac.routeTo('127.0.0.1')).toMatchObject({ isOnLink: true, isThisMachine: true });
});

test('a destination that is refused, or has no route, has no way out', async () => {
  const refused = answer({
    destination: '128.0.0.0',
    interface: 'lo0',
    flags: '<UP,REJECT,DONE,STATIC,PROTO1>',
  });
  const mac = macWith({ routes: { '198.51.100.254': refused } });
  expect(await mac.routeTo('198.51.100.254')).toBeUndefined();
  expect(await mac.routeTo('203.0.113.1')).toBeUndefined();
});

test('networks in the tunnel are read in netstat’s short forms, and only those of the helper', async () => {
  const mac = macWith({
    ipv4: `10                 utun4              US1                 utun4
10.9/16            utun4              US1                 utun4
172.16/12          utun4              US1                 utun4
198.51.100.7       utun4              UHS1                utun4
198.51.100.8       utun4              UHW1                utun4      7
192.0.2            127.0.0.1          UR1                   lo0
203.0.113          utun7              USc                 utun7
default            utun4              US1I                utun4`,
    ipv6: `2001:db8::/32                           utun4                                   US1                 utun4
2001:db8:1::1                           utun4                                   UHS1                utun4
fe80::%utun4/64                         link#25                                 UCI                 utun4`,
  });
  expect(await mac.networksIntoTunnel()).toEqual([
    '10.0.0.0/8',
    '10.9.0.0/16',
    '172.16.0.0/12',
    '198.51.100.7/32',
    '2001:db8::/32',
    '2001:db8:1::1/128',
  ]);
  expect(await mac.tunnelDevices()).toEqual(['utun4']);
});

test('capturing by destination is told from capturing everything, and from no tunnel at all', async () => {
  const some = { ipv4: '10                 utun4              US1                 utun4' };
  expect(await macWith({ ...some, routes: { '198.51.100.254': outside } }).isByDestination()).toBe(true);
  expect(await macWith({ ...some, routes: { '198.51.100.254': inside } }).isByDestination()).toBe(false);
  expect(await macWith({ routes: { '198.51.100.254': outside } }).isByDestination()).toBe(false);
});

test('where the programs cannot be run, nothing is claimed', async () => {
  const mac = createRoutingTable(() => Promise.resolve(undefined));
  expect(await mac.routeTo('198.51.100.254')).toBeUndefined();
  expect(await mac.networksIntoTunnel()).toEqual([]);
  expect(await mac.isByDestination()).toBe(false);
});
