import { X509Certificate } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { GatewaySession } from '#shared/helper/protocol.ts';
import { certificatePin } from '../../src/main/gateway/certificate-pin.ts';
import { readIpPacket, type Packet } from './frame.ts';
import type { Gateway } from './gateway.ts';
import type { Machine } from './machine.ts';
import { ports } from './addresses.ts';
import { endProcess, words } from './process.ts';

/** What the process of a hostile gateway is given, as JSON. */
export interface PushingGateway {
  readonly certificate: string;
  readonly key: string;
  readonly address: string;
  readonly port: number;
  /** File with the header lines that it answers with. */
  readonly headers: string;
  /** File to which each packet of the tunnel is appended, a line of hexadecimal digits each. */
  readonly packets: string;
  /** File with packets to send into its tunnels, likewise. */
  readonly outgoing: string;
}

/** A gateway that pushes what it likes, in place of one that was stopped. Disposing ends it. */
export interface HostileGateway extends AsyncDisposable {
  /** A session that it takes; so it does any. */
  readonly session: GatewaySession;
  /**
   * What it sends from the next connection on: names and values of headers, in their order. If there are none, it
   * answers no connection.
   */
  push(headers: readonly (readonly [name: string, value: string])[]): Promise<void>;
  /** Closes the connections that it has. */
  closeConnections(): void;
  /** Sends packets, without a frame around them, into the tunnels that it has. */
  send(packets: readonly Buffer[]): Promise<void>;
  /** The packets that have come out of its tunnels so far. */
  packets(): Promise<Packet[]>;
}

/** On the machine that gateways run on, at the address and with the certificate of `gateway`, which does not run. */
export async function startHostileGateway(
  machine: Machine,
  directory: string,
  gateway: Gateway,
): Promise<HostileGateway> {
  const [headers, packets, outgoing] = [
    path.join(directory, 'hostile-headers'),
    path.join(directory, 'hostile-packets'),
    path.join(directory, 'hostile-outgoing'),
  ];
  await Promise.all([writeFile(headers, ''), writeFile(packets, '')]);
  const given: PushingGateway = {
    ...gateway.certificate,
    address: gateway.address.ipv4,
    port: ports.gateway,
    headers,
    packets,
    outgoing,
  };
  const script = path.join(import.meta.dirname, 'pushing-gateway.ts');
  const server = await machine.spawnUntil(
    [...words('setpriv --pdeathsig KILL --'), process.execPath, script, JSON.stringify(given)],
    /listening/,
  );
  const certificate = new X509Certificate(await readFile(gateway.certificate.certificate));
  return {
    session: { cookie: 'webvpn=hostile', certificatePin: certificatePin(certificate) },
    push: (pairs) => writeFile(headers, pairs.map(([name, value]) => `${name}: ${value}\r\n`).join('')),
    closeConnections: () => void server.kill('SIGUSR2'),
    async send(sent) {
      await writeFile(outgoing, sent.map((packet) => `${packet.toString('hex')}\n`).join(''));
      server.kill('SIGUSR1');
    },
    async packets() {
      const lines = (await readFile(packets, 'utf8')).split('\n').filter(Boolean);
      return lines.map((line) => readIpPacket(Buffer.from(line, 'hex')));
    },
    [Symbol.asyncDispose]: () => endProcess(server, 'SIGKILL'),
  };
}

/** Headers of a usable configuration, to which a test adds what is wrong. */
export const usableHeaders = [
  ['X-CSTP-Version', '1'],
  ['X-CSTP-DPD', '30'],
  ['X-CSTP-Keepalive', '60'],
  ['X-CSTP-MTU', '1400'],
] as const;
