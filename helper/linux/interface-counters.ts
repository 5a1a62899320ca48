import { readFileSync } from 'node:fs';
import type { TunnelStatistics } from '#shared/tunnel/state.ts';

/**
 * The device's counters from /proc/net/dev (proc(5)), which shows the reader's own network namespace, unlike
 * /sys. The first column is the bytes received, the ninth those sent.
 */
export function readInterfaceCounters(device: string): TunnelStatistics | undefined {
  return parseInterfaceCounters(readFileSync('/proc/self/net/dev', 'utf8'), device);
}

export function parseInterfaceCounters(text: string, device: string): TunnelStatistics | undefined {
  const line = text.split('\n').find((candidate) => candidate.trimStart().startsWith(`${device}:`));
  if (line === undefined) return undefined;
  const columns = line
    .slice(line.indexOf(':') + 1)
    .trim()
    .split(/\s+/)
    .map(Number);
  const [received, sent] = [columns[0], columns[8]];
  return received === undefined || sent === undefined ? undefined : { received, sent };
}
