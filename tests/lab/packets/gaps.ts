import { once } from 'node:events';
import path from 'node:path';
import type { Gaps } from './gap-meter.ts';
import type { Machine } from '../machine/machine.ts';

/** Traffic that runs until `end`, which resolves with its longest silences. */
export interface GapMeter {
  end(): Promise<Gaps>;
}

/** Starts traffic from a machine to the echo, every `milliseconds`; it passes in both directions when this resolves. */
export async function startGapMeter(machine: Machine, milliseconds = 20): Promise<GapMeter> {
  const script = path.join(import.meta.dirname, 'gap-meter.ts');
  const meter = await machine.spawnUntil(
    ['setpriv', '--pdeathsig', 'KILL', '--', process.execPath, script, String(milliseconds)],
    /metering/,
  );
  let output = '';
  meter.stdout?.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  return {
    async end() {
      const ended = once(meter, 'close');
      meter.kill('SIGTERM');
      await ended;
      return JSON.parse(output.trim().split('\n').at(-1) ?? '') as Gaps;
    },
  };
}
