import { readFileSync } from 'node:fs';
import type { TunnelStatistics } from '#shared/tunnel/state.ts';
import type { ReceivedPackets } from '../../system/ports/tunnel-device-port.ts';

/**
 * The device's counters from /proc/net/dev (proc(5)), which shows the reader's own network namespace, unlike /sys. The
 * first column has the received bytes, the ninth the sent ones; each is followed by the number of packets.
 */
export function readInterfaceCounters(device: string): TunnelStatistics | undefined {
  return parseInterfaceCounters(readFileSync('/proc/self/net/dev', 'utf8'), device);
}

export function parseInterfaceCounters(text: string, device: string): TunnelStatistics | undefined {
  const columns = columnsOf(text, device);
  const [received, sent] = [columns?.[0], columns?.[8]];
  return received === undefined || sent === undefined ? undefined : { received, sent };
}

function columnsOf(text: string, device: string): number[] | undefined {
  const line = text.split('\n').find((candidate) => candidate.trimStart().startsWith(`${device}:`));
  return line
    ?.slice(line.indexOf(':') + 1)
    .trim()
    .split(/\s+/)
    .map(Number);
}

/**
 * The packets that the device has received, by IP version; undefined if there is no device. The number that is
 * subtracted is read later, so a packet that arrives in between is missed until the next check, rather than counted for
 * the wrong version. Linux, too, counts a packet of IPv6 as such before it counts it for the device (its
 * drivers/net/tun.c, tun_get_user). So the number of IPv4 may be too low for a moment, and is never too high.
 */
export function readReceivedPackets(device: string): ReceivedPackets | undefined {
  const received = columnsOf(readFileSync('/proc/self/net/dev', 'utf8'), device)?.[1];
  if (received === undefined) return undefined;
  const { all, multicast } = readIpv6Received(device);
  return { ipv4: received - all, ipv6: all - multicast };
}

/**
 * The kernel also counts IPv6 packets separately (RFC 4293, ipIfStats); there are none without IPv6. Multicast packets
 * are not answers: the gateway's own kernel sends some into every tunnel, such as listener reports (RFC 3810).
 */
function readIpv6Received(device: string): { all: number; multicast: number } {
  try {
    const text = readFileSync(`/proc/self/net/dev_snmp6/${device}`, 'utf8');
    const count = (name: string) => Number(new RegExp(`^${name}\\s+(\\d+)$`, 'm').exec(text)?.[1] ?? 0);
    return { all: count('Ip6InReceives'), multicast: count('Ip6InMcastPkts') };
  } catch {
    return { all: 0, multicast: 0 };
  }
}
