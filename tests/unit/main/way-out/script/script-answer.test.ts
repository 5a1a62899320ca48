import { expect, test } from 'vitest';
import { readScriptAnswer } from '../../../../../src/main/way-out/script/script-answer.ts';

const direct = { kind: 'direct' };
const proxy = (protocol: string, host: string, port: number) => ({
  kind: 'proxy',
  proxy: { protocol, host, port },
});

test.each([
  ['DIRECT', [direct]],
  ['', [direct]],
  [' ; ', [direct]],
  [
    'PROXY one.example:3128; SOCKS5 two.example; DIRECT',
    [proxy('http', 'one.example', 3128), proxy('socks5', 'two.example', 1080), direct],
  ],
  ['proxy 192.0.2.1:8080;direct', [proxy('http', '192.0.2.1', 8080), direct]],
  [
    'HTTPS one.example:8443; https two.example',
    [proxy('https', 'one.example', 8443), proxy('https', 'two.example', 443)],
  ],
  ['HTTP one.example', [proxy('http', 'one.example', 80)]],
  ['SOCKS [2001:db8::1]:1080', [proxy('socks5', '2001:db8::1', 1080)]],
  [
    'PROXY one.example:3128 ; ; PROXY\ttwo.example:3128;',
    [proxy('http', 'one.example', 3128), proxy('http', 'two.example', 3128)],
  ],
  // Kinds that are not supported, and what is no place.
  ['SOCKS4 one.example:1080; QUIC one.example:443; DIRECT', [direct]],
  ['PROXY one.example:0; PROXY one.example:65536; PROXY; PROXY a b:1; PROXY http://one.example:3128', []],
  ['PROXY one.example:3128, PROXY two.example:3128', []],
  ['PROXY user@one.example:3128; PROXY :3128; PROXY [::1', []],
])('a script that answers %j names %j', (answer, ways) => {
  expect(readScriptAnswer(answer)).toEqual(ways);
});

test('no more than eight ways are taken of an answer', () => {
  expect(readScriptAnswer('PROXY one.example:1;'.repeat(500))).toHaveLength(8);
});
