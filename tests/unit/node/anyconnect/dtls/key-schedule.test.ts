import { expect, test } from 'vitest';
import {
  cipherSuites,
  masterSecret,
  premasterSecret,
  recordKeys,
} from '#node/anyconnect/dtls/cipher-suites.ts';
import { prf } from '#node/anyconnect/dtls/prf.ts';

const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex');

/** Test vectors that were published on the IETF's TLS list for RFC 5246 §5. */
test.each([
  [
    'sha256' as const,
    '9bbe436ba940f017b17652849a71db35',
    'a0ba9f936cda311827a6f796ffd5198c',
    `e3f229ba727be17b8d122620557cd453c2aab21d07c3d495329b52d4e61edb5a
     6b301791e90d35c9c9a46b4e14baf9af0fa022f7077def17abfd3797c0564bab
     4fbc91666e9def9b97fce34f796789baa48082d122ee42c5a72e5a5110fff701
     87347b66`,
  ],
  [
    'sha384' as const,
    'b80b733d6ceefcdc71566ea48e5567df',
    'cd665cf6a8447dd6ff8b27555edb7465',
    `7b0c18e9ced410ed1804f2cfa34a336a1c14dffb4900bb5fd7942107e81c83cd
     e9ca0faa60be9fe34f82b1233c9146a0e534cb400fed2700884f9dc236f80edd
     8bfa961144c9e8d792eca722a7b32fc3d416d473ebc2c5fd4abfdad05d918425
     9b5bf8cd4d90fa0d31e2dec479e4f1a26066f2eea9a69236a3e52655c9e9aee6
     91c8f3a26854308d5eaa3be85e0990703d73e56f`,
  ],
])('the pseudorandom function with %s gives the published values', (hash, secret, seed, output) => {
  const expected = hex(output.replaceAll('\n', ''));
  expect(prf(hash, hex(secret), 'test label', hex(seed), expected.length)).toEqual(expected);
});

test('the premaster secret is as long as the key, twice', () => {
  expect(premasterSecret(hex('0102 03')).toString('hex')).toBe('00030000000003010203');
});

test('each suite cuts its key block into keys and parts of nonces without a gap', () => {
  for (const suite of cipherSuites) {
    const secrets = {
      suite,
      premaster: premasterSecret(Buffer.alloc(32, 7)),
      clientRandom: Buffer.alloc(32, 1),
      serverRandom: Buffer.alloc(32, 2),
    };
    const master = masterSecret({ ...secrets, sessionHash: Buffer.alloc(32, 3) });
    expect(master).toHaveLength(48);
    expect(master).not.toEqual(masterSecret({ ...secrets, sessionHash: undefined }));
    const { client, server } = recordKeys(suite, master, {
      client: secrets.clientRandom,
      server: secrets.serverRandom,
    });
    const seed = Buffer.concat([secrets.serverRandom, secrets.clientRandom]);
    const length = 2 * (suite.keyBytes + suite.ivBytes);
    expect(Buffer.concat([client.key, server.key, client.iv, server.iv])).toEqual(
      prf(suite.hash, master, 'key expansion', seed, length),
    );
    expect([client.key.length, client.iv.length]).toEqual([suite.keyBytes, suite.ivBytes]);
  }
});
