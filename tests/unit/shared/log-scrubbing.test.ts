import { expect, test } from 'vitest';
import { scrubLog } from '#shared/log-scrubbing.ts';

test.each([
  ['a colour', '\u001b[31mrefused\u001b[0m', 'refused'],
  ['a colour of eight bits', '\u009b31mrefused', 'refused'],
  ['a title', '\u001b]0;owned\u0007refused', 'refused'],
  ['a title that ends otherwise', '\u001b]0;owned\u001b\\refused', 'refused'],
  ['a link', '\u001b]8;;https://evil.example\u001b\\here\u001b]8;;\u001b\\', 'here'],
  ['a cleared screen as JSON has it', String.raw`{"line":"\u001b[2J\u001b[Hrefused"}`, '{"line":"refused"}'],
  ['other codes', 'a\u001b(Bb\u001bcc\u0000d\u0008e\r\n', 'abcde\n'],
  ['a change of direction', 'a\u202eb\u2066c\u200f', 'abc'],
])('%s of a gateway is not in a log', (_what, line, kept) => {
  expect(scrubLog(line)).toBe(kept);
});

test.each([
  'webvpn=0A1B2C@12345@6789@ABCD',
  'Set-Cookie: webvpn=0A1B2C; path=/; secure',
  'Cookie: webvpnlogin=1; webvpn=0A1B2C',
  'web\u001b[0mvpn=0A1B2C',
  'webvpn%3D0A1B2C',
  '{"webvpn":"0A1B2C"}',
  String.raw`{"line":"{\"webvpn\": \"0A1B2C\"}"}`,
  'webvpn: 0A1B2C',
  '<session-token>0A1B2C</session-token>',
  '<password type="x">0A1B2C</password>',
  'acSamlv2Token=0A1B2C;',
  'the license key 0A1B2C is wrong',
  'licenseKey=0A1B2C',
  '"license_key": "0A1B2C"',
  'GET /api/license-keys/0A1B2C/consume',
  'next=%2Fapi%2Flicense-keys%2F0A1B2C%2Fconsume',
  'it was 0A1B-2C3D-4E5F-0A1B',
  'it was 0A1B2-C3D4E-5F0A1-B2C3D-4E5F0',
  'user b1b0a7fa5b4c4b438a8c2d6e0a1b2c31 came',
  'user B1B0A7FA_5B4C_4B43_8A8C_2D6E0A1B2C31',
  'user b1b0a7fa%2D5b4c%2D4b43%2D8a8c%2D2d6e0a1b2c31',
  'file:///home/0A1B2C/x',
  'file=%2Fhome%2F0A1B2C%2F.config',
  'next=%252Fhome%252F0A1B2C%252F.config',
  'C%3A%5CUsers%5C0A1B2C%5CAppData',
  String.raw`C:\Users\0A1B2C\AppData`,
  '/var/home/0A1B2C',
  '/run/media/0A1B2C/disk/key.p12',
  String.raw`C:\Users\Someone 0A1B2C\AppData`,
  'Authorization: Negotiate 0A1B2C/0A1B2C==',
  'Proxy-Authorization: Digest username="someone", response="0A1B2C"',
  'https://someone:0A1B2C@example.com/',
  'postgresql://someone:0A1B2C@/waymaker',
  '"token":"0A1B2C"',
  'client_secret=0A1B2C',
  'pwd=0A1B2C',
  'api_key: 0A1B2C',
  'secret-key=0A1B2C',
  'SAMLResponse=0A1B2C%2B%3D&RelayState=x',
  'it was eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIwIn0.0A1B2C',
  'licenseKey: WXYZ 0A1B WXYZ 0A1B',
  '%7B0A1B0A1B%2D5b4c%2D4b43%2D8a8c%2D2d6e0a1b2c31%7D',
])('nothing of a secret is left of %j', (line) => {
  expect(scrubLog(line)).not.toMatch(/0a1b/i);
});

test.each([
  '2026-11-26T14:02:33.123Z info  connected to example.com:443, version 1.2.3',
  'DTLS 1.2, ECDHE-RSA-AES256-GCM-SHA384, (ECDHE-SECP256R1)-(RSA-SHA256)-(AES-256-GCM)',
  'at /opt/waymaker/resources/app.asar/out/main/index.js:1:1973',
  'the webvpn page cannot be loaded',
  'the license key was used',
  'https://example.com/@someone, and ws://127.0.0.1:9222/devtools',
  `Unexpected token '<', "<!DOCTYPE"`,
  'took 5100 ms, 12% of 100%',
  'first\n\tsecond\n',
  String.raw`D:\eve\x1b\033\archive`,
])('%j is kept as it is', (line) => {
  expect(scrubLog(line)).toBe(line);
});
