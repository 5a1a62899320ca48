import { expect, onTestFinished, test } from 'vitest';
import { createMacosNetworks } from '../../../../../src/main/networks/macos/macos-networks.ts';
import type { NetworkInUse } from '../../../../../src/main/networks/networks.ts';
import type { RunProgram } from '../../../../../src/main/run-program.ts';

/** Words of macOS's programs, which do not run here, as others report them of macOS 13 to 26. */
const ports = `
Hardware Port: Ethernet
Device: en5
Ethernet Address: 00:00:5e:00:53:01

Hardware Port: iPhone USB
Device: en8
Ethernet Address: 00:00:5e:00:53:02

Hardware Port: Wi-Fi
Device: en0
Ethernet Address: 00:00:5e:00:53:03

VLAN Configurations
===================`;

interface Mac {
  /** The default route's device; undefined: there is none. */
  device?: string | undefined;
  gateway?: string;
  /** What the other VPN's default route hides. */
  scoped?: string;
  /** Of the Wi-Fi network; undefined: macOS keeps it back. */
  name?: string | undefined;
  mode?: string;
  /** Whether nothing is said of the network that the Mac is joining. */
  isSilent?: boolean;
  /** Grows with each network that is joined. */
  connection?: number;
}

function createMac(start: Mac) {
  let mac = start;
  const commands: string[] = [];
  const words: Record<string, () => string> = {
    '/sbin/route -n get default': () => {
      const { device, gateway = '192.168.1.1' } = mac;
      if (device === undefined) throw new Error('route: writing to routing socket: not in table');
      const flags = '<UP,GATEWAY,DONE,STATIC,PRCLONING,GLOBAL>';
      return `   route to: default\ndestination: default\n    gateway: ${gateway}\n  interface: ${device}\n      flags: ${flags}`;
    },
    '/sbin/route -n get -inet6 default': () => {
      throw new Error('route: writing to routing socket: not in table');
    },
    '/usr/sbin/netstat -rn -f inet': () =>
      [
        'Destination        Gateway            Flags               Netif Expire',
        'default            10.8.0.5           UGScg               utun4',
        'default            link#20            UCSIg               utun1',
        ...(mac.scoped ? [`default            192.168.7.1        UGScIg              ${mac.scoped}`] : []),
      ].join('\n'),
    '/usr/sbin/networksetup -listallhardwareports': () => ports,
    '/usr/sbin/ipconfig getsummary en0': () =>
      `<dictionary> {\n  BSSID : <redacted>\n  ConnectionID : ${mac.connection ?? 1}\n  InterfaceType : WiFi\n  SSID : ${mac.name ?? '<redacted>'}\n  Security : NONE\n}`,
    '/usr/sbin/system_profiler -json -detailLevel basic SPAirPortDataType': () =>
      JSON.stringify({
        SPAirPortDataType: [
          {
            spairport_airport_interfaces: [
              {
                _name: 'en0',
                spairport_airport_other_local_wireless_networks: [{ _name: 'neighbours' }],
                [mac.isSilent ? 'silent' : 'spairport_current_network_information']: {
                  _name: mac.name ?? '<redacted>',
                  spairport_network_type: 'spairport_network_type_station',
                  spairport_security_mode: mac.mode ?? 'spairport_security_mode_wpa2_personal',
                },
              },
              { _name: 'awdl0', spairport_current_network_information: { spairport_network_type: 'x' } },
            ],
          },
        ],
      }),
  };
  const run: RunProgram = async (name, args) => {
    const command = [name, ...args].join(' ');
    commands.push(command);
    const answer = words[command];
    if (!answer) throw new Error(`${command} is not known`);
    return await Promise.resolve(answer());
  };
  const networks = createMacosNetworks(run, { pauseMs: 1 });
  onTestFinished(() => networks.close());
  const told: (NetworkInUse | undefined)[] = [];
  networks.onChange((now) => told.push(now));
  return {
    networks,
    told,
    asked: (program: string) => commands.filter((command) => command.includes(program)).length,
    become: (next: Mac) => (mac = next),
  };
}

const hex = (name: string) => Buffer.from(name).toString('hex');
const nowOf = async (mac: Mac) => (await createMac(mac).networks.watch())?.network;

test('a Wi-Fi network has its name, and whether it lets in only those with a password', async () => {
  expect(await nowOf({ device: 'en0', name: 'home 家' })).toEqual({
    kind: 'wifi',
    ssid: hex('home 家'),
    isProtected: true,
  });
});

test.each([
  ['wpa_personal', true],
  ['wpa2_personal_mixed', true],
  ['wpa2_enterprise', true],
  ['wpa3_personal', true],
  ['none', false],
  ['wep', false],
  ['owe', false],
  ['owe_transition', false],
  ['of_another_time', false],
])('the security mode %s means that protection is %s', async (mode, isProtected) => {
  const now = await nowOf({ device: 'en0', name: 'home', mode: `spairport_security_mode_${mode}` });
  expect(now).toMatchObject({ isProtected });
});

test('the security mode that Apple writes without its first letter counts, too', async () => {
  const now = await nowOf({ device: 'en0', name: 'home', mode: 'pairport_security_mode_wpa3_transition' });
  expect(now).toMatchObject({ isProtected: true });
});

test('a name that macOS keeps back is not known, and such a network is never trusted', async () => {
  expect(await nowOf({ device: 'en0' })).toEqual({ kind: 'wifi', isProtected: true });
});

test('lines in a network’s name are part of the name', async () => {
  const name = 'home\n  Security : WPA2_PSK';
  const now = await nowOf({ device: 'en0', name, mode: 'spairport_security_mode_none' });
  expect(now).toEqual({ kind: 'wifi', ssid: hex(name), isProtected: false });
});

test('cables, phones and devices that are no port are told apart', async () => {
  expect(await nowOf({ device: 'en5' })).toEqual({ kind: 'wired' });
  expect(await nowOf({ device: 'en8' })).toEqual({ kind: 'other' });
  expect(await nowOf({ device: 'bridge100' })).toEqual({ kind: 'other' });
  expect(await nowOf({ device: undefined })).toEqual({ kind: 'none' });
});

test('phones and what dials in are metered, and cables, VLANs and bridges are not', async () => {
  const isMetered = async (device: string) => await createMac({ device }).networks.isMetered();
  for (const device of ['en8', 'ppp0']) expect([device, await isMetered(device)]).toEqual([device, true]);
  for (const device of ['en5', 'vlan0', 'bond0', 'bridge1'])
    expect([device, await isMetered(device)]).toEqual([device, false]);
});

test('a connection that is dialled without another network below it is one (PPPoE)', async () => {
  expect(await nowOf({ device: 'ppp0' })).toEqual({ kind: 'other' });
  expect(await nowOf({ device: 'ppp0', scoped: 'en5' })).toEqual({ kind: 'wired' });
});

test('below another VPN, the network is the one that the tunnel itself uses', async () => {
  expect(await nowOf({ device: 'utun4', scoped: 'en5' })).toEqual({ kind: 'wired' });
  expect(await nowOf({ device: 'utun4' })).toEqual({ kind: 'none' });
});

test('networks are reported as they come and go, and a name is only asked for when the network is another one', async () => {
  const mac = createMac({ device: 'en0', name: 'home' });
  await mac.networks.watch();
  const looks = mac.asked('/sbin/route');
  await expect.poll(() => mac.asked('/sbin/route')).toBeGreaterThan(looks + 3);
  expect(mac.asked('system_profiler')).toBe(1);
  mac.become({ device: 'en0', name: 'café', mode: 'spairport_security_mode_none', connection: 2 });
  await expect
    .poll(() => mac.told.at(-1)?.network)
    .toEqual({ kind: 'wifi', ssid: hex('café'), isProtected: false });
  mac.become({ device: undefined });
  await expect.poll(() => mac.told.at(-1)).toEqual({ network: { kind: 'none' }, id: '' });
  mac.become({ device: 'en5' });
  await expect.poll(() => mac.told.at(-1)?.network).toEqual({ kind: 'wired' });
  // The first one, which `watch` has returned, among them.
  expect(mac.told).toHaveLength(4);
});

test('networks without a name differ by their routers, and joining one again is no other network', async () => {
  const mac = createMac({ device: 'en0', connection: 1 });
  const first = await mac.networks.watch();
  mac.become({ device: 'en0', connection: 2 });
  await expect.poll(() => mac.asked('system_profiler')).toBeGreaterThan(1);
  mac.become({ device: 'en0', connection: 3, gateway: '10.0.0.1' });
  await expect.poll(() => mac.told.length).toBe(2);
  expect(mac.told.at(-1)?.network).toEqual(first?.network);
  expect(mac.told.at(-1)?.id).not.toBe(first?.id);
});

test('a network that the system says nothing of yet is not trusted, and asked about again', async () => {
  const mac = createMac({ device: 'en0', name: 'home', isSilent: true });
  expect(await mac.networks.watch()).toMatchObject({ network: { kind: 'wifi', isProtected: false } });
  mac.become({ device: 'en0', name: 'home' });
  await expect
    .poll(() => mac.told.at(-1)?.network)
    .toEqual({ kind: 'wifi', ssid: hex('home'), isProtected: true });
});

test('without macOS’s programs, the system does not say which network it is', async () => {
  const networks = createMacosNetworks(() => Promise.resolve(undefined), { pauseMs: 1 });
  onTestFinished(() => networks.close());
  expect(await networks.watch()).toBeUndefined();
});
