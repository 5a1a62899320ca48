import { expect, test } from 'vitest';
import { batched } from '../../../src/service/gateways/batched.ts';

test('callers during a run share the next, which begins after they called; a failure is theirs alone', async () => {
  const ends: { end: () => void; fail: (error: Error) => void }[] = [];
  const run = batched(() => new Promise<void>((end, fail) => void ends.push({ end, fail })));
  const first = run();
  await expect.poll(() => ends.length).toBe(1);
  const others = Array.from({ length: 50 }, () => run());
  ends[0]?.fail(new Error('the disk is full'));
  await expect(first).rejects.toThrow('the disk is full');
  await expect.poll(() => ends.length).toBe(2);
  const late = run();
  ends[1]?.end();
  await Promise.all(others);
  await expect.poll(() => ends.length).toBe(3);
  ends[2]?.end();
  await late;
});
