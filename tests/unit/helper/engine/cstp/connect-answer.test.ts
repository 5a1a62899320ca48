import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createHeadReader } from '../../../../../helper/engine/own/cstp/answer-head.ts';
import {
  readConnectAnswer,
  type AnswerRead,
  type ConnectAnswer,
} from '../../../../../helper/engine/own/cstp/connect-answer.ts';
import { connectRequest } from '../../../../../helper/engine/own/cstp/connect-request.ts';

function read(...lines: string[]): AnswerRead {
  const head = createHeadReader()(
    Buffer.from(`HTTP/1.1 200 CONNECTED\r\n${lines.join('\r\n')}\r\n\r\n`, 'latin1'),
  );
  if (head.kind !== 'complete') throw new Error(head.kind);
  return readConnectAnswer(head.head);
}

function answerTo(...lines: string[]): ConnectAnswer {
  const result = read(...lines);
  if (!result.ok) throw new Error(result.why);
  return result.answer;
}

test('what ocserv answers is read as it means it', () => {
  const answer = answerTo(
    'X-CSTP-Version: 1',
    'X-CSTP-Server-Name: ocserv 1.1.6',
    'X-CSTP-Hostname: vpn.example',
    'X-CSTP-DPD: 60',
    'X-CSTP-Default-Domain: example.test other.test',
    'X-CSTP-Address: 198.51.100.7',
    'X-CSTP-Netmask: 255.255.255.0',
    'X-CSTP-Address-IP6: 2001:db8::7/128',
    'X-CSTP-DNS: 192.0.2.53',
    'X-CSTP-DNS: 2001:db8::53',
    'X-CSTP-Tunnel-All-DNS: true',
    'X-CSTP-Keepalive: 300',
    'X-CSTP-Idle-Timeout: none',
    'X-CSTP-Session-Timeout: 3600',
    'X-CSTP-Disconnected-Timeout: none',
    'X-CSTP-Rekey-Time: 172777',
    'X-CSTP-Rekey-Method: ssl',
    'X-CSTP-Split-Include: 10.0.0.0/255.0.0.0',
    'X-CSTP-Split-Include-IP6: 2001:db8:1::/48',
    'X-CSTP-Split-Exclude: 10.1.0.0/255.255.0.0',
    `X-DTLS-App-ID: ${'0a'.repeat(32)}`,
    'X-DTLS-DPD: 60',
    'X-DTLS-Port: 443',
    'X-DTLS-CipherSuite: PSK-NEGOTIATE',
    'X-CSTP-Base-MTU: 1500',
    'X-CSTP-MTU: 1434',
  );
  expect(answer).toEqual({
    ipv4: '198.51.100.7',
    ipv6: '2001:db8::7',
    mtu: 1434,
    linkMtu: 1500,
    resolvers: ['192.0.2.53', '2001:db8::53'],
    searchDomains: ['example.test', 'other.test'],
    splitDns: [],
    tunnelAllDns: true,
    bypassesOtherVersion: false,
    routes: {
      ipv4: { includes: ['10.0.0.0/8'], excludes: ['10.1.0.0/16'] },
      ipv6: { includes: ['2001:db8:1::/48'], excludes: [] },
    },
    tls: { dpdSeconds: 60, keepAliveSeconds: 300 },
    rekey: { method: 'ssl', seconds: 172_777 },
    limits: {
      sessionSeconds: 3600,
      idleSeconds: undefined,
      disconnectedSeconds: undefined,
      leaseSeconds: undefined,
    },
    banner: undefined,
    postAuthXml: undefined,
    dtls: { kind: 'psk', id: Buffer.alloc(32, 10), port: 443, dpdSeconds: 60, keepAliveSeconds: undefined },
  } satisfies ConnectAnswer);
});

test.each([
  ['in words as they are', 'Welcome, 5% off', 'Welcome, 5% off'],
  ['as in URLs', 'Line%20one%0A%E4%BD%A0%E5%A5%BD', 'Line one\n你好'],
  ['in UTF-8', Buffer.from('Grüße').toString('latin1'), 'Grüße'],
  ['in an older code', 'Gr\xfc\xdfe', 'Grüße'],
])('a banner %s', (_how, header, text) => {
  expect(answerTo(`X-CSTP-Banner: ${header}`).banner).toBe(text);
});

test('compression is refused, however it is called', () => {
  expect(read('X-CSTP-Content-Encoding: oc-lz4')).toEqual({ ok: false, why: 'compression' });
  expect(read('X-DTLS-Content-Encoding: lzs')).toEqual({ ok: false, why: 'compression' });
  expect(read('X-CSTP-Content-Encoding: identity').ok).toBe(true);
});

describe('DTLS', () => {
  test.each([
    // bjdgyc/anylink issue 379, openconnect-gui issue 35: gateways that choose what nobody offered.
    ['another cipher suite', ['X-DTLS-CipherSuite: ECDHE-ECDSA-AES128-GCM-SHA256']],
    ['another cipher suite', ['X-DTLS-CipherSuite: AES128-SHA', 'X-DTLS-Session-ID: 00']],
    // cernekee/ics-openconnect issue 44: a gateway whose DTLS is off.
    ['not offered', ['X-DTLS-Port: 443']],
    ['unusable', ['X-DTLS-CipherSuite: PSK-NEGOTIATE']],
    ['unusable', ['X-DTLS-CipherSuite: PSK-NEGOTIATE', 'X-DTLS-App-ID: abc']],
    ['unusable', ['X-DTLS-CipherSuite: PSK-NEGOTIATE', `X-DTLS-App-ID: ${'00'.repeat(33)}`]],
  ])('is left out where it is %s', (why, lines) => {
    expect(answerTo('X-CSTP-Address: 192.0.2.7', ...lines).dtls).toEqual({ kind: 'none', why });
  });
});

describe('pushed routes', () => {
  test.each([
    ['a mask with gaps', 'X-CSTP-Split-Include: 10.0.0.0/255.0.255.0'],
    ['a length that is too great', 'X-CSTP-Split-Include-IP6: 2001:db8::/129'],
    ['a name', 'X-CSTP-Split-Exclude: example.test/24'],
    ['two masks', 'X-CSTP-Split-Include: 10.0.0.0/8/8'],
    ['a zone', 'X-CSTP-Split-Include-IP6: fe80::%eth0/64'],
  ])('with %s are unreadable as a whole', (_what, line) => {
    expect(answerTo('X-CSTP-Split-Include: 10.2.0.0/16', line).routes).toBe('unreadable');
  });

  test('are read up to the number that is used', () => {
    const lines = (count: number) =>
      Array.from(
        { length: count },
        (_, index) => `X-CSTP-Split-Include: 10.${index >> 8}.${index & 255}.0/24`,
      );
    expect(answerTo(...lines(2_000)).routes).toMatchObject({ ipv4: { includes: { length: 2_000 } } });
    expect(answerTo(...lines(2_001)).routes).toBe('unreadable');
  });

  test('of every notation are read', () => {
    const routes = answerTo(
      'X-CSTP-Split-Include: 0.0.0.0/0.0.0.0',
      'X-CSTP-Split-Include: 192.0.2.1',
      'X-CSTP-Split-Include: 2001:db8::/32',
      'X-CSTP-Split-Include: 192.0.2.1/255.255.255.255',
    ).routes;
    expect(routes).toMatchObject({
      ipv4: { includes: ['0.0.0.0/0', '192.0.2.1/32', '192.0.2.1/32'] },
      ipv6: { includes: ['2001:db8::/32'] },
    });
  });
});

test.each([
  ['X-CSTP-Rekey-Time: 0', 'X-CSTP-Rekey-Method: ssl', { method: 'none' }],
  ['X-CSTP-Rekey-Time: 60', 'X-CSTP-Rekey-Method: new-tunnel', { method: 'new-tunnel', seconds: 60 }],
  ['X-CSTP-Rekey-Time: 60', 'X-CSTP-Rekey-Method: none', { method: 'none' }],
  ['X-CSTP-Rekey-Time: 1e9', 'X-CSTP-Rekey-Method: ssl', { method: 'none' }],
])('%s and %s', (time, method, rekey) => {
  expect(answerTo(time, method).rekey).toEqual(rekey);
});

test('values of any kind are read without an exception, and are limited', () => {
  const names = [
    'X-CSTP-Address',
    'X-CSTP-Address-IP6',
    'X-CSTP-DNS',
    'X-CSTP-MTU',
    'X-CSTP-Split-Include',
    'X-CSTP-Split-DNS',
    'X-CSTP-Default-Domain',
    'X-CSTP-Banner',
    'X-CSTP-Post-Auth-XML',
    'X-CSTP-DPD',
    'X-DTLS-CipherSuite',
    'X-DTLS-App-ID',
    'X-DTLS-Port',
  ];
  const line = fc
    .tuple(fc.constantFrom(...names), fc.string({ maxLength: 50 }))
    .map(([name, value]) => `${name}: ${value.replace(/[\r\n]/g, '')}`);
  fc.assert(
    fc.property(fc.array(line, { maxLength: 40 }), (lines) => {
      const answer = answerTo(...lines);
      expect(answer.resolvers.length).toBeLessThanOrEqual(16);
      expect(answer.searchDomains.length).toBeLessThanOrEqual(64);
      expect(answer.mtu ?? 1).toBeLessThanOrEqual(65_535);
    }),
  );
  expect(answerTo(`X-CSTP-Banner: ${'a'.repeat(4_097)}`).banner).toBeUndefined();
});

test('a request has one line for each header, and nothing that would end one', () => {
  const request = {
    host: 'vpn.example',
    cookie: 'webvpn=abc',
    userAgent: 'Open AnyConnect VPN Agent v9.12 (Waymaker)',
    linkMtu: 1500,
    tunnelMtu: 1434,
    wantsDtls: true,
  };
  const text = connectRequest(request);
  expect(text).toContain('\r\nX-DTLS-CipherSuite: PSK-NEGOTIATE\r\n');
  expect(text.endsWith('\r\n\r\n')).toBe(true);
  expect(text).not.toMatch(/encoding/i);
  expect(connectRequest({ ...request, wantsDtls: false })).not.toContain('DTLS');
  expect(() => connectRequest({ ...request, cookie: 'a\r\nX: y' })).toThrow('not the text of a header');
});
