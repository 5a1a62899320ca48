import { packetKind } from '#node/anyconnect/cstp/packet.ts';
import type { DataPath } from '../../../../helper/engine/own/data-path/start-data-path.ts';
import type { FastWay } from '../../../../helper/engine/own/tunnel/datagram-port.ts';
import { createDtlsServer } from '../../../../src/main/self-test/gateway/dtls-server.ts';
import { portConnectedTo, translatePort, type Peer } from './port-translation.ts';

/** A tunnel's way by datagrams, from a client's first one on. */
export interface DatagramWay {
  close(): void;
}

export interface DatagramWayOptions {
  dataPath: DataPath;
  peer: Peer;
  gatewayPort: number;
  key: Uint8Array;
  /** The largest packet of the device that it takes. */
  mtu: number;
  onConnected(cipher: string): void;
  onEnd(why: string): void;
}

/** Whether the client answers is not watched. */
const askAfterMs = 60_000;
/** Ports of sockets that are or were open; one that was may be given to another. */
const ownPorts = new Set<number>();

/**
 * Shakes hands over a socket of the data path, which carries the device's packets after that. `hello`: the first
 * datagram, which came to the gateway's own socket.
 */
export async function openDatagramWay(options: DatagramWayOptions, hello: Buffer): Promise<DatagramWay> {
  const { dataPath, peer, gatewayPort, mtu } = options;
  /** Has the connection from the end of the handshake on. */
  let fast: FastWay | undefined;
  const datagrams = dataPath.datagramsTo(
    peer.address,
    peer.port,
  )({
    onDatagram(datagram) {
      const rest = fast ? datagram : dtls.receive(datagram);
      if (rest) fast?.received(rest);
    },
    onError: () => undefined,
  });
  const dtls = createDtlsServer({
    key: options.key,
    send: (datagram) => datagrams.send(datagram),
    onContent: () => undefined,
    onConnected({ cipher }) {
      const { suite, client, server, sequence, seen } = dtls.handOver();
      fast = datagrams.takeOver?.(
        // The data path seals with the client's keys: here, it is the other end.
        { records: { suite, client: server, server: client, sequence, seen }, mtu, askAfterMs },
        {
          onControl(kind, payload) {
            if (kind === packetKind.dpdRequest) fast?.write(packetKind.dpdAnswer, payload);
          },
          onQuiet: () => undefined,
          onEnd: (why) => options.onEnd(why),
        },
      );
      fast?.carry(true);
      options.onConnected(cipher);
    },
  });
  const ownPort = await portConnectedTo(peer, ownPorts);
  ownPorts.add(ownPort);
  await translatePort(peer, gatewayPort, ownPort);
  dtls.receive(hello);
  return { close: () => datagrams.close() };
}
