import { expect, test } from 'vitest';
import { readRoute } from '../../../../src/main/self-test/macos/read-route.ts';
import { routingLines } from '../../../../src/main/self-test/macos/routing-lines.ts';
import { defaultRoute, ipv6Devices } from '../../../../src/main/self-test/windows/default-route.ts';
import { steadyAddresses } from '../../../../src/main/self-test/windows/steady-addresses.ts';
import { readPairingCode, newPairingCode } from '../../../../src/main/self-test/far-side/pairing.ts';

/** What the self-test reads of other systems' programs, as others report it of them. */

test('macOS: the device and the router of a route', () => {
  expect(
    readRoute(`   route to: default
destination: default
       mask: default
    gateway: 192.168.1.1
  interface: en0
      flags: <UP,GATEWAY,DONE,STATIC,PRCLONING,GLOBAL>
`),
  ).toEqual({ device: 'en0', gateway: '192.168.1.1' });
  expect(
    readRoute(`   route to: 192.168.1.20
destination: 192.168.1.20
  interface: en0
      flags: <UP,HOST,DONE,LLINFO,WASCLONED,IFSCOPE,IFREF>
`),
  ).toEqual({ device: 'en0', gateway: undefined });
  expect(readRoute('route: writing to routing socket: not in table\n')).toEqual({
    device: undefined,
    gateway: undefined,
  });
});

test('macOS: routes of single neighbours come and go, and those that somebody has set are compared', () => {
  const lines = `Routing tables

Internet:
Destination        Gateway            Flags               Netif Expire
default            192.168.1.1        UGScg                 en0
127                127.0.0.1          UCS                   lo0
192.168.1          link#14            UCS                   en0      !
192.168.1.20       a4:83:e7:0:0:1     UHLWIi                en0   1107
224.0.0/4          link#14            UmCS                  en0      !
`;
  expect(routingLines(lines).split('\n')).toEqual([
    '127 127.0.0.1 UCS lo0',
    '192.168.1 link#14 UCS en0',
    '224.0.0/4 link#14 UmCS en0',
    'default 192.168.1.1 UGScg en0',
  ]);
});

test('Windows: the default route with the lowest metric, in any language', () => {
  const german = `===========================================================================
Schnittstellenliste
 12...00 15 5d 01 02 03 ......Microsoft Hyper-V Network Adapter
===========================================================================

IPv4-Routentabelle
===========================================================================
Aktive Routen:
     Netzwerkziel    Netzwerkmaske          Gateway    Schnittstelle Metrik
          0.0.0.0          0.0.0.0      10.0.0.1        10.0.0.7     50
          0.0.0.0          0.0.0.0   192.168.1.1     192.168.1.20     25
===========================================================================
Ständige Routen:
  Keine
`;
  expect(defaultRoute(german.replaceAll('\n', '\r\n'))).toEqual({
    router: '192.168.1.1',
    address: '192.168.1.20',
  });
  expect(defaultRoute('===\n')).toBeUndefined();
});

test('Windows: the devices that have a default route of IPv6, in any language', () => {
  const german = `===========================================================================
IPv6-Routentabelle
===========================================================================
Aktive Routen:
 If Metrik Netzwerkziel             Gateway
 12    281 ::/0                     fe80::1
  1    331 ::1/128                  Auf Verbindung
 15     45 ::/1                     Auf Verbindung
 12    281 2001:db8::/64            Auf Verbindung
===========================================================================
Ständige Routen:
 If Metrik Netzwerkziel             Gateway
  0 4294967295 ::/0                     fe80::7
`;
  expect(ipv6Devices(german.replaceAll('\n', '\r\n'))).toEqual([12]);
  expect(ipv6Devices('===\n')).toEqual([]);
});

test('Windows: addresses of IPv6 without what changes by itself, in any language', () => {
  const german = (left: string, state: string, teredo: string) => `
Schnittstelle 12: Ethernet 2

Adresstyp  DAD-Status  Gültigkeit Bevorzugt Adresse
---------  ----------- ---------- ---------- ------------------------
Öffentlich ${state}   29d23h${left}s 6d23h${left}s 2001:db8::7
Andere     ${state}     infinite   infinite fe80::1:2%12

Schnittstelle 5: Teredo Tunneling Pseudo-Interface
Öffentlich ${state}     infinite   infinite ${teredo}
`;
  const before = steadyAddresses(german('51m3', 'Vorläufig', '2001:0:c000:201::1'));
  expect(before.split('\n')).toEqual(['2001:db8::7', 'fe80::1:2%12']);
  const later = german('49m58', 'Bevorzugt', '2001:0:c000:202::1');
  expect(steadyAddresses(later.replaceAll('\n', '\r\n'))).toBe(before);
});

test('a code is read as it was shown, whatever it was typed like, and nothing else is one', () => {
  const code = newPairingCode();
  expect(code).toMatch(/^(?:[0-9A-HJKMNP-TV-Z]{4}-){3}[0-9A-HJKMNP-TV-Z]{4}$/);
  expect(readPairingCode(` ${code.toLowerCase().replaceAll('-', ' ')}\n`)).toBe(code);
  expect(readPairingCode('oooo-IIII-llll-0000')).toBe('0000-1111-1111-0000');
  for (const odd of ['', code.slice(1), `${code}0`, code.replace(/.$/, 'U')])
    expect(readPairingCode(odd), odd).toBeUndefined();
  expect(newPairingCode()).not.toBe(code);
});
