import { z } from 'zod/mini';
import type { Log } from '../../log.ts';
import type { RunCommand } from '../../posix/command.ts';
import { tunnelDevice } from '../identifiers.ts';
import { endSocketsFrom } from '../netlink/netlink-sockets.ts';

const interfaceList = z.array(z.object({ addr_info: z.array(z.object({ local: z.optional(z.string()) })) }));

/**
 * Ends connections from the tunnel's addresses (by default, those of its device), as far as the kernel can. Without
 * this, IPv6 connections would continue outside the tunnel, because Linux does not check whether a source address is
 * still its own, and programs would wait for IPv4 connections until they time out. Never rejects: a failure is no
 * reason to leave the system as it is.
 */
export async function endTunnelConnections(
  run: RunCommand,
  log: Log,
  addresses?: readonly string[],
): Promise<void> {
  try {
    const own = addresses ?? (await deviceAddresses(run));
    if (own.length > 0) await endSocketsFrom(own);
  } catch (error) {
    log.error('the connections through the tunnel could not be ended', error);
  }
}

/** The addresses of the tunnel's device; empty if there is no device. */
async function deviceAddresses(run: RunCommand): Promise<string[]> {
  const { status, stdout } = await run('ip', ['-json', 'address', 'show', 'dev', tunnelDevice]);
  if (status !== 0) return [];
  const found = interfaceList.parse(JSON.parse(stdout)).flatMap((device) => device.addr_info);
  return found.flatMap(({ local }) => local ?? []);
}
