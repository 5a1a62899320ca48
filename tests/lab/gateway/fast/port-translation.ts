import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';

/** The packet filter's table for that. */
export const table = 'fast-gateway';

/** Where datagrams come from. */
export interface Peer {
  address: string;
  port: number;
}

/**
 * Has a client's datagrams to the gateway's port come to another socket of this machine, whose own leave from that
 * port. Nothing is remembered of them: the ports of segmented datagrams are written into their one header, and the
 * kernel fills in the checksums later. Replaces what was there for the client before.
 */
export async function translatePort(peer: Peer, gatewayPort: number, ownPort: number): Promise<void> {
  const rules = `table ip ${table}
    delete table ip ${table}
    table ip ${table} {
      chain prerouting {
        type filter hook prerouting priority raw;
        ip saddr ${peer.address} udp sport ${peer.port} udp dport ${gatewayPort} notrack udp dport set ${ownPort}
      }
      chain output {
        type filter hook output priority raw;
        ip daddr ${peer.address} udp dport ${peer.port} udp sport ${ownPort} notrack udp sport set ${gatewayPort}
      }
    }`;
  const nft = promisify(execFile)('nft', ['-f', '-']);
  nft.child.stdin?.end(rules);
  await nft;
}

/** The port of the socket of this machine that is connected to a client, once there is one (proc_pid_net(5)). */
export async function portConnectedTo(peer: Peer, known: ReadonlySet<number>): Promise<number> {
  // Addresses are there as the machine has numbers, lowest byte first; the data path runs on no other.
  const far = Buffer.from(peer.address.split('.').map(Number).toReversed()).toString('hex').toUpperCase();
  const wanted = `${far}:${peer.port.toString(16).toUpperCase().padStart(4, '0')}`;
  for (;;) {
    const lines = (await readFile('/proc/thread-self/net/udp', 'utf8')).split('\n');
    const ports = lines
      .map((line) => line.trim().split(/\s+/))
      .filter(([, , to]) => to === wanted)
      .map(([, from = '']) => Number.parseInt(from.split(':')[1] ?? '', 16));
    const port = ports.find((own) => !known.has(own));
    if (port !== undefined) return port;
    await delay(1);
  }
}
