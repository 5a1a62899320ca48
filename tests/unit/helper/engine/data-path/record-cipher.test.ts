import { expect, test } from 'vitest';
import { createArena } from '../../../../../helper/engine/own/data-path/arena.ts';
import { chooseCipherStep } from '../../../../../helper/engine/own/data-path/known-answers.ts';
import { loadOpenssl, type Openssl } from '../../../../../helper/engine/own/data-path/openssl-cipher.ts';
import { cipherSteps } from '../../../../../helper/engine/own/data-path/record-cipher.ts';

test('each way of encrypting gives the known answers here', () => {
  const arena = createArena(64 * 1024);
  const openssl = loadOpenssl(arena);
  for (const step of cipherSteps) expect(chooseCipherStep(arena, openssl, step).step).toBe(step);
});

test('without OpenSSL, Node’s own interface is used', () => {
  expect(chooseCipherStep(createArena(64 * 1024), undefined, 'tls').step).toBe('node');
});

test('a cipher that gives wrong answers is not used', () => {
  const arena = createArena(64 * 1024);
  const right = loadOpenssl(arena);
  /** Counts nonces from another one than it was told. */
  const wrong: Openssl = {
    create: (...given) => ({ ...right.create(...given), setTlsNonce: () => true }),
  };
  expect(chooseCipherStep(arena, wrong, 'tls').step).toBe('evp');
  const broken: Openssl = {
    create: (...given) => ({ ...right.create(...given), seal: () => true, tlsRecord: () => 0 }),
  };
  expect(chooseCipherStep(arena, broken, 'tls').step).toBe('node');
});

test('native memory has bounds', () => {
  const arena = createArena(64 * 1024);
  for (const [offset, length] of [
    [-1, 1],
    [0, 64 * 1024 + 1],
    [64 * 1024, 1],
    [1.5, 1],
    [Number.NaN, 1],
    [0, Number.NaN],
    [0, -1],
  ] as const)
    expect(() => arena.address(offset, length)).toThrow(RangeError);
  expect(arena.address(0, 64 * 1024) + 7).toBe(arena.address(7, 0));
  expect(() => arena.take(64 * 1024 + 1)).toThrow(RangeError);
});
