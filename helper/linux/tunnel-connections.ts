import { isIPv6 } from 'node:net';
import { z } from 'zod';
import type { RunCommand } from './command.ts';
import { tunnelDevice } from './identifiers.ts';

const interfaceList = z.array(z.object({ addr_info: z.array(z.object({ local: z.string().optional() })) }));

/** The addresses that the tunnel's device has; none if there is no device. */
export async function tunnelAddresses(run: RunCommand): Promise<string[]> {
  const { status, stdout } = await run('ip', ['-json', 'address', 'show', 'dev', tunnelDevice]);
  if (status !== 0) return [];
  const found = interfaceList.parse(JSON.parse(stdout)).flatMap((device) => device.addr_info);
  return found.flatMap(({ local }) => local ?? []);
}

/**
 * Ends connections from the tunnel's addresses, as far as the kernel can (ss(8), --kill): those of IPv6 would go on
 * outside without it, since Linux asks of no source address there whether it is still one of its own, and programs
 * would wait for those of IPv4 until they give up.
 */
export async function endConnectionsFrom(run: RunCommand, addresses: readonly string[]): Promise<void> {
  if (addresses.length === 0) return;
  const sources = addresses.map((address) => `src ${isIPv6(address) ? `[${address}]` : address}`);
  const options = ['--tcp', '--udp', '--numeric', '--kill', 'state', 'connected'];
  await run('ss', [...options, ...sources.join(' or ').split(' ')]);
}
