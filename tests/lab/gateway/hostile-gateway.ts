import { X509Certificate } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { GatewaySession } from '#shared/helper/gateway-session.ts';
import { certificatePin } from '#node/anyconnect/certificate-pin.ts';
import { packetKind } from '#node/anyconnect/cstp/packet.ts';
import { readIpPacket, type Packet } from '../packets/frame.ts';
import type { Gateway } from './gateway.ts';
import type { Machine } from '../machine/machine.ts';
import { ports } from '../network/addresses.ts';
import { endProcess, eventually, outputOf, words } from '../runs/process.ts';

/** The settings of a hostile gateway's process, as JSON. */
export interface PushingGateway {
  readonly certificate: string;
  readonly key: string;
  /** If given, only clients with a certificate of this authority (a PEM file) get past the handshake. */
  readonly clientAuthority?: string | undefined;
  readonly address: string;
  readonly port: number;
  /** A file with the header lines of its answers, after a status line if that is another one than 200. */
  readonly headers: string;
  /** A file to which each packet of the tunnel is appended, one line of hexadecimal digits each. */
  readonly packets: string;
  /** A file to which the head of each CONNECT is appended. */
  readonly asked: string;
  /** A file with packets to send into its tunnels, in the same form. */
  readonly outgoing: string;
  /** A file with the packet that ends its tunnels: its type, and its content. */
  readonly goodbye: string;
}

/** A gateway that pushes arbitrary headers, replacing one that was stopped. Disposing ends it. */
export interface HostileGateway extends AsyncDisposable {
  /** A session that it accepts, as it accepts any. */
  readonly session: GatewaySession;
  /**
   * What it sends from the next connection on: names and values of headers, in order. If empty, it answers no
   * connection.
   */
  push(headers: readonly (readonly [name: string, value: string])[]): Promise<void>;
  /** From the next connection on, it refuses tunnels with status 503, and says why. */
  refuse(reason: string): Promise<void>;
  /** The heads of the requests for a tunnel so far. */
  asked(): Promise<string>;
  /** Closes its connections, without a word. */
  closeConnections(): void;
  /** Ends its tunnels with this text, and the session, too, if that is final. */
  sayGoodbye(text: string, options?: { isFinal?: boolean }): Promise<void>;
  /** Sends packets, without frames, into its tunnels. */
  send(packets: readonly Buffer[]): Promise<void>;
  /** The packets that have come out of its tunnels so far. */
  packets(): Promise<Packet[]>;
}

/** Runs on the gateways' machine, with the address and certificate of `gateway`, which must not be running. */
export async function startHostileGateway(
  machine: Machine,
  directory: string,
  gateway: Gateway,
  options: Pick<PushingGateway, 'clientAuthority'> = {},
): Promise<HostileGateway> {
  const [headers, packets, outgoing, asked, goodbye] = [
    path.join(directory, 'hostile-headers'),
    path.join(directory, 'hostile-packets'),
    path.join(directory, 'hostile-outgoing'),
    path.join(directory, 'hostile-asked'),
    path.join(directory, 'hostile-goodbye'),
  ];
  await Promise.all([headers, packets, asked, goodbye].map((file) => writeFile(file, '')));
  const given: PushingGateway = {
    ...gateway.certificate,
    ...options,
    address: gateway.address.ipv4,
    port: ports.gateway,
    headers,
    packets,
    outgoing,
    asked,
    goodbye,
  };
  const script = path.join(import.meta.dirname, 'pushing-gateway.ts');
  const server = await machine.spawnUntil(
    [...words('setpriv --pdeathsig KILL --'), process.execPath, script, JSON.stringify(given)],
    /listening/,
  );
  const certificate = new X509Certificate(await readFile(gateway.certificate.certificate));
  async function answerWith(lines: string): Promise<void> {
    // In one go, because it is read at any time.
    await writeFile(`${headers}.new`, lines);
    await rename(`${headers}.new`, headers);
  }
  return {
    session: { cookie: 'webvpn=hostile', certificatePin: certificatePin(certificate) },
    push: (pairs) => answerWith(pairs.map(([name, value]) => `${name}: ${value}\r\n`).join('')),
    refuse: (reason) => answerWith(`HTTP/1.1 503 Service Unavailable\r\nX-Reason: ${reason}\r\n`),
    asked: () => readFile(asked, 'utf8'),
    closeConnections() {
      writeFileSync(goodbye, '');
      server.kill('SIGUSR2');
    },
    async sayGoodbye(text, { isFinal = true } = {}) {
      const { terminate, disconnect } = packetKind;
      // Before the text, a byte for the reason (draft-mavrogiannopoulos-openconnect-04 §3.1).
      const head = Buffer.from([isFinal ? terminate : disconnect, 0]);
      await writeFile(goodbye, Buffer.concat([head, Buffer.from(text)]));
      server.kill('SIGUSR2');
    },
    async send(sent) {
      await writeFile(outgoing, sent.map((packet) => `${packet.toString('hex')}\n`).join(''));
      const count = () => outputOf(server).split('sent\n').length;
      const before = count();
      server.kill('SIGUSR1');
      // Others may be sent after that.
      await eventually('they are sent', () => count() > before || undefined);
    },
    async packets() {
      const lines = (await readFile(packets, 'utf8')).split('\n').filter(Boolean);
      return lines.map((line) => readIpPacket(Buffer.from(line, 'hex')));
    },
    [Symbol.asyncDispose]: () => endProcess(server, 'SIGKILL'),
  };
}

/** Headers of a usable configuration, to which a test adds something wrong. */
export const usableHeaders = [
  ['X-CSTP-Version', '1'],
  ['X-CSTP-DPD', '30'],
  ['X-CSTP-Keepalive', '60'],
  ['X-CSTP-MTU', '1400'],
] as const;
