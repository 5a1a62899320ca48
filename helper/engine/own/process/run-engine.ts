import { closeSync, fstatSync, readSync } from 'node:fs';
import { isIP, Socket } from 'node:net';
import { createMessageConnection, StreamMessageReader, StreamMessageWriter } from 'vscode-jsonrpc/node';
import { userAgent } from '#shared/gateway-user-agent.ts';
import { untilHandled } from '#node/wait-to-the-end.ts';
import type { ClientCertificate } from '#shared/helper/gateway-session.ts';
import type { GivenConfiguration } from '../../engine-port.ts';
import type { PacketHeader } from '../../../system/ports/tunnel-device-port.ts';
import type { DataPath, DeviceOptions, FastDevice } from '../data-path/start-data-path.ts';
import { usableLinkMtu } from '../tunnel/mtu.ts';
import { createTunnel } from '../tunnel/tunnel.ts';
import type { SecureConnection, Tunnel } from '../tunnel/tunnel-port.ts';
import { datagramsTo } from './datagrams.ts';
import { openDevice, type Device } from './device.ts';
import { openFramedDevice } from './framed-device.ts';
import { createGatewayConnections } from './gateway-connections.ts';
import { holdConnection, type HeldConnection } from './held-connection.ts';
import {
  descriptors,
  holdParams,
  identityIn,
  startParams,
  type Configured,
  type EngineMessage,
  type EngineMessageName,
  type StartParams,
} from './messages.ts';
import { packetHeaders } from './packet-headers.ts';
import { die, type Prepared } from './prepare.ts';
import type { SecureResult } from './secure-connection.ts';
import { givenConfigurationOf, termsOf } from './given-configuration.ts';
import { causeOf, endOf, goodbyeOf, noteOn } from './engine-end.ts';

/** The engine, in the process that the helper has started for it; it ends with the helper. */
export function runEngine(prepared: Prepared): void {
  const control = new Socket({ fd: descriptors.control });
  const connection = createMessageConnection(
    new StreamMessageReader(control),
    new StreamMessageWriter(control),
  );
  const tell = <Name extends EngineMessageName>(name: Name, params: EngineMessage<Name>) =>
    connection.sendNotification(name, params).catch(die);
  let tunnel: Tunnel | undefined;
  let held: HeldConnection | undefined;
  let identity: ClientCertificate | undefined;
  connection.onClose(die);
  connection.onNotification('hold', (params: unknown) => {
    const { trust, ...place } = holdParams.parse(params);
    identity = place.hasClientCertificate ? readIdentity() : undefined;
    const opening = createGatewayConnections(place, { ...trust, clientCertificate: identity }).open();
    held ??= holdConnection(opening, {
      onHeld: () => void tell('note', { text: 'TLS is held ready' }),
      onGone(why) {
        void tell('note', {
          text: `nothing is held: ${why === 'ended' ? 'TLS has ended' : why.detail}`.slice(0, 300),
        });
        void tell('unheld', {});
      },
    });
  });
  connection.onNotification('start', (params: unknown) => {
    const parsed = startParams.parse(params);
    if (parsed.hasClientCertificate) identity ??= readIdentity();
    tunnel ??= start(parsed, prepared, {
      identity,
      held,
      tell,
      async configure(given) {
        const { isApplied } = await connection.sendRequest<Configured>('configuration', given);
        return isApplied;
      },
      hasLeft: () => leaving !== undefined,
    });
  });
  let leaving: Promise<void> | undefined;
  const leave = () => {
    if (!tunnel) held?.close();
    leaving ??= Promise.resolve(tunnel?.leave()).finally(() => void tell('ended', { end: 'failed' }));
  };
  connection.onNotification('stop', leave);
  // Whoever ends it so, such as a machine that shuts down, ends the session.
  process.on('SIGTERM', leave);
  connection.listen();
  prepared.readNotes((text) => void tell('note', { text: text.slice(0, 300) }));
}

function start(
  params: StartParams,
  { dataPath }: Prepared,
  helper: {
    identity: ClientCertificate | undefined;
    held: HeldConnection | undefined;
    tell: <Name extends EngineMessageName>(name: Name, params: EngineMessage<Name>) => Promise<void>;
    configure: (given: GivenConfiguration) => Promise<boolean>;
    /** Whether the user has ended the tunnel, so that only its session is still to be ended. */
    hasLeft: () => boolean;
  },
): Tunnel {
  const { host, port, proxy, session } = params;
  const { tell } = helper;
  const connections = createGatewayConnections(params, { ...session, clientCertificate: helper.identity });
  let refused: Extract<SecureResult, { ok: false }> | undefined;
  let reachedAt: string | undefined;

  function reached(result: Extract<SecureResult, { ok: true }>): SecureConnection {
    const { address } = result.connection;
    if (address !== reachedAt) void tell('reached', { address });
    reachedAt = address;
    if (result.isResumed) void tell('note', { text: 'TLS has been resumed' });
    if (result.encryption) void tell('encryption', { transport: 'tls', encryption: result.encryption });
    return result.connection;
  }

  void tell('begun', {});
  const tunnel = createTunnel({
    // Without a host name, the gateway was verified by its address.
    host: isIP(host) === 0 || proxy ? host : undefined,
    port,
    cookie: session.cookie,
    userAgent: userAgent(session.agent ?? 'open'),
    linkMtu: usableLinkMtu(params.linkMtu),
    mtu: params.mtu,
    roundTripMs: params.roundTripMs,
    usesDatagrams: proxy === undefined,
    async openTls() {
      const held = await helper.held?.take();
      if (held) {
        void tell('note', { text: 'the connection that was held is used' });
        connections.took(held);
        return { ...reached(held), heldPatienceMs: held.patienceMs };
      }
      const result = await connections.open();
      if (result.ok) return reached(result);
      refused = result;
      void tell('note', { text: `no TLS connection: ${result.detail}`.slice(0, 300) });
      return undefined;
    },
    openDatagrams: (address, to) => dataPath?.datagramsTo(address, to) ?? datagramsTo(address, to),
    listener: {
      onPacket: (packet) => device.write(packet),
      onRoom: () => fastDevice?.resume(),
      async onConfiguration(answer, mtu) {
        const isApplied = await helper.configure(givenConfigurationOf(answer, mtu, params.wantsPushedRoutes));
        if (isApplied) device.pass();
        return isApplied;
      },
      onGranted: (answer) => void tell('terms', termsOf(answer)),
      onTransport: (transport) => void tell('transport', { transport }),
      onDtlsEncryption: ({ cipher }) =>
        void tell('encryption', {
          transport: 'dtls',
          encryption: { protocol: 'DTLS 1.2', cipher: cipher.toUpperCase() },
        }),
      onNote: (note, detail) =>
        void tell('note', { text: (detail === undefined ? note : `${note}: ${detail}`).slice(0, 300) }),
      onEnd(why) {
        const cause = causeOf(why, refused);
        if (cause !== undefined) void tell('unreachable', { cause });
        const text = noteOn(why);
        if (text !== undefined) void tell('note', { text });
        const goodbye = goodbyeOf(why);
        void tell('ended', { end: endOf(why, refused), ...(goodbye !== undefined && { goodbye }) });
      },
    },
  });
  const onPacket = (packet: Buffer) => tunnel.send(packet);
  const onDeviceEnd = async (error: Error) => {
    await untilHandled();
    // The device of a tunnel that is left goes before the gateway may have been told.
    if (helper.hasLeft()) return;
    void tell('note', { text: `the device cannot be read: ${error.message}`.slice(0, 300) });
    tunnel.close();
    void tell('ended', { end: 'failed' });
  };
  const opened = {
    descriptor: descriptors.device,
    onPacket,
    isBusy: () => tunnel.isBusy(),
    onEnd: (error: Error) => void onDeviceEnd(error),
  };
  const { device, fastDevice } = openDevices(params.packetHeader, opened, dataPath);
  return tunnel;
}

/** `fastDevice`: the same one, where it has to be told that there is room again. */
function openDevices(
  kind: PacketHeader,
  options: DeviceOptions,
  dataPath: DataPath | undefined,
): { device: Device; fastDevice: FastDevice | undefined } {
  if (kind === 'length') {
    const framed = openFramedDevice(options);
    return { device: framed, fastDevice: framed };
  }
  const fastDevice = dataPath?.openDevice(options);
  return { device: fastDevice ?? openDevice({ ...options, header: packetHeaders[kind] }), fastDevice };
}

function readIdentity(): ClientCertificate {
  const bytes = Buffer.alloc(fstatSync(descriptors.identity).size);
  try {
    // From its beginning: whoever wrote it is at its end, and so is this descriptor.
    const length = readSync(descriptors.identity, bytes, 0, bytes.length, 0);
    return identityIn(bytes.toString('utf8', 0, length));
  } finally {
    bytes.fill(0);
    closeSync(descriptors.identity);
  }
}
