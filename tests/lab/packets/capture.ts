import { randomUUID } from 'node:crypto';
import { open } from 'node:fs/promises';
import path from 'node:path';
import { ports, sentinelGroup } from '../network/addresses.ts';
import { pcapHeaderLength, readPcapRecords, type CapturedPacket } from './frame.ts';
import type { Machine } from '../machine/machine.ts';
import { endProcess, eventually, words } from '../runs/process.ts';

export interface Capture {
  /**
   * Every packet that was sent before this call and after the previous one or, the first time, since the capture began.
   * The link has to be up.
   */
  packets(): Promise<CapturedPacket[]>;
  /** Ends the capture, and resolves with the same as `packets`. */
  stop(): Promise<CapturedPacket[]>;
}

/**
 * Captures on a machine's uplink, starting before this resolves; `filter` is a pcap-filter(7) expression. `neighbour`
 * is the machine at the other end of the wire, and `device` its end.
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
    // Root stays root, because the capture file's directory belongs to root; packets are written as they arrive. The
    // device is not promiscuous: other machines' packets do not reach it. While tcpdump waits for a processor,
    // thousands of packets can be buffered; with packets of any length, as with `-s 0`, only 32 (pcap-linux.c).
    [
      ...words('tcpdump -i uplink -n -p -s 4096 -B 16384 -U --immediate-mode -Z root -w'),
      file,
      ...expression,
    ],
    /listening on/,
  );
  const route = `ip route replace ${sentinelGroup} dev ${neighbour.device}`;
  const send = `printf %s "$token" >/dev/udp/${sentinelGroup}/${ports.discard}`;
  const sender = neighbour.machine.spawn(
    ['bash', '-c', `while read -r token; do ${route}; ${send}; echo sent; done`],
    { stdio: ['pipe', 'pipe', 'ignore'] },
  );
  let isSending = false;
  sender.stdout?.on('data', () => (isSending = false));
  // It may be ended while another line is being written to it.
  sender.stdin?.on('error', () => undefined);
  let at = pcapHeaderLength;

  async function packets(): Promise<CapturedPacket[]> {
    // The kernel delivers packets in order: once our last one is in the file, all are.
    const token = randomUUID();
    const found = await eventually('the capture has its last packet', async () => {
      const records = readPcapRecords(await readFrom(file, at));
      const last = records.findIndex(({ packet }) => packet.payload.includes(token));
      if (last >= 0) return records.slice(0, last + 1);
      // Repeated, because a busy machine loses some.
      if (!isSending) sender.stdin?.write(`${token}\n`);
      isSending = true;
      return undefined;
    });
    at += found.at(-1)?.end ?? 0;
    return found.map(({ packet }) => packet).filter(({ destination }) => destination !== sentinelGroup);
  }

  return {
    packets,
    async stop() {
      const rest = await packets();
      await Promise.all([endProcess(tcpdump, 'SIGINT'), endProcess(sender)]);
      return rest;
    },
  };
}

async function readFrom(file: string, position: number): Promise<Buffer> {
  await using handle = await open(file);
  const { size } = await handle.stat();
  const bytes = Buffer.alloc(Math.max(size - position, 0));
  const { bytesRead } = await handle.read(bytes, { position });
  return bytes.subarray(0, bytesRead);
}
