import { expect, test } from 'vitest';

// Tests compare bytes by a way of their own, see tests/lab/runs/vitest-setup.ts.
test('bytes are equal only to the same bytes of the same kind, wherever they are in what is compared', () => {
  const given = { parts: [Buffer.from([1, 2, 3])] };
  expect(given).toEqual({ parts: [Buffer.from([1, 2, 3])] });
  const others = [Buffer.from([1, 2, 4]), Buffer.from([1, 2]), new Uint8Array([1, 2, 3]), [1, 2, 3]];
  for (const other of others) expect(given).not.toEqual({ parts: [other] });
});
