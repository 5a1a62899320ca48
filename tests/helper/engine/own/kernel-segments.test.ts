import path from 'node:path';
import { expect, test } from 'vitest';
import { run, words } from '../../../lab/runs/process.ts';
import { casesOf } from '../../../lab/runs/thoroughness.ts';

const script = path.resolve(import.meta.dirname, '../../support/kernel-segments.ts');

test.each(casesOf({ usual: [20], all: [2_000] }))(
  'cuts %i packets of TCP and of UDP as the kernel does, and joins what the kernel cuts into the same again',
  async (count) => {
    const output = await run([...words('unshare --net --'), process.execPath, script, String(count)]);
    const compared = JSON.parse(output) as Record<string, number>;
    expect(Object.keys(compared)).toEqual(['cutTcp', 'cutUdp', 'joined']);
    expect(Math.min(...Object.values(compared))).toBeGreaterThan(2 * count);
  },
);
