import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { ports } from './addresses.ts';
import { readPcap, type CapturedPacket } from './frame.ts';
import type { Machine } from './machine.ts';
import { endProcess, eventually } from './process.ts';

export interface Capture {
  /** Ends the capture; every packet that was sent before this call is among those returned. */
  stop(): Promise<CapturedPacket[]>;
}

/** Group that every node drops unless it asked for it, so that nobody answers what is sent there. */
const sentinelGroup = '224.0.0.251';

/**
 * Captures on a machine's uplink, from the moment this resolves; `filter` is a pcap-filter(7) expression.
 * `neighbour` is the machine at the other end of the wire, and `device` its end.
 */
export async function startCapture(
  machine: Machine,
  neighbour: { machine: Machine; device: string },
  directory: string,
  filter?: string,
): Promise<Capture> {
  const file = path.join(directory, `${randomUUID()}.pcap`);
  const sentinel = `udp and dst host ${sentinelGroup} and dst port ${ports.discard}`;
  const expression = filter === undefined ? [] : [`(${filter}) or (${sentinel})`];
  const tcpdump = await machine.spawnUntil(
    // Root stays root, since the capture file's directory is root's; packets are written as they come.
    ['tcpdump', '-i', 'uplink', '-n', '-s', '0', '-U', '--immediate-mode', '-Z', 'root', '-w', file].concat(
      expression,
    ),
    /listening on/,
  );
  return {
    async stop() {
      // The kernel hands packets over in their order: once a last one of ours is in the file, all are.
      const token = randomUUID();
      await neighbour.machine.run(['ip', 'route', 'replace', sentinelGroup, 'dev', neighbour.device]);
      await eventually('the capture has its last packet', async () => {
        if ((await readFile(file)).includes(token)) return true;
        // Again, as a busy machine loses some.
        await neighbour.machine.run([
          'bash',
          '-c',
          `printf %s ${token} >/dev/udp/${sentinelGroup}/${ports.discard}`,
        ]);
        return undefined;
      });
      await endProcess(tcpdump, 'SIGINT');
      return readPcap(await readFile(file)).filter((packet) => packet.destination !== sentinelGroup);
    },
  };
}
