import { addresses } from '../../../lab/network/addresses.ts';
import type { InstalledMachine } from './installed-machine.ts';

/** A tunnel is probed once it has been used since it was probed last. */
export async function whileUsed(
  machine: InstalledMachine['machine'],
  check: () => Promise<unknown>,
): Promise<void> {
  const ping = `ping -c 600 ${addresses.inside.ipv4} > /dev/null 2>&1 & echo $!`;
  const pid = await machine.run(['sh', '-c', ping]);
  await check();
  await machine.run(['kill', pid.trim()]);
}
