import { expect, test } from 'vitest';
import { batched } from '../../../src/service/gateways/batched.ts';

test('callers during a run share the next one, which begins after they called, and whose failure is theirs alone', async () => {
  const ends: { end: () => void; fail: (error: Error) => void }[] = [];
  const brought: (readonly number[])[] = [];
  const run = batched<number>(
    (items) =>
      new Promise((end, fail) => {
        brought.push(items);
        ends.push({ end, fail });
      }),
  );
  const first = run(0);
  await expect.poll(() => ends.length).toBe(1);
  const others = Array.from({ length: 50 }, (_, i) => run(i + 1));
  ends[0]?.fail(new Error('the disk is full'));
  await expect(first).rejects.toThrow('the disk is full');
  await expect.poll(() => ends.length).toBe(2);
  const late = run(51);
  ends[1]?.end();
  await Promise.all(others);
  await expect.poll(() => ends.length).toBe(3);
  ends[2]?.end();
  await late;
  expect(brought).toEqual([[0], Array.from({ length: 50 }, (_, i) => i + 1), [51]]);
});
