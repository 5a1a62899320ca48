import { closeSync, fstatSync, readSync } from 'node:fs';
import { isIP, Socket } from 'node:net';
import { createMessageConnection, StreamMessageReader, StreamMessageWriter } from 'vscode-jsonrpc/node';
import { userAgent } from '#shared/gateway-agent.ts';
import { wantsCertificate } from '#node/anyconnect/gateway-tls.ts';
import type { GivenConfiguration, GivenTerms } from '../../engine-port.ts';
import type { PacketHeader } from '../../../system/ports/tunnel-device-port.ts';
import type { DataPath, DeviceOptions, FastDevice } from '../data-path/start-data-path.ts';
import type { ConnectAnswer } from '../cstp/connect-answer.ts';
import { readCustomAttributes } from '../cstp/post-auth-xml.ts';
import { usableLinkMtu } from '../tunnel/mtu.ts';
import { createTunnel } from '../tunnel/tunnel.ts';
import type { Tunnel, TunnelEnd } from '../tunnel/tunnel-port.ts';
import { datagramsTo } from './datagrams.ts';
import { openDevice, type Device } from './device.ts';
import { openFramedDevice } from './framed-device.ts';
import {
  descriptors,
  startParams,
  termsLimits,
  withIdentity,
  type Configured,
  type EngineMessage,
  type EngineMessageName,
  type StartParams,
} from './messages.ts';
import { packetHeaders } from './packet-headers.ts';
import { die, type Prepared } from './prepare.ts';
import { openSecureConnection, type SecureResult } from './secure-connection.ts';

type End = EngineMessage<'ended'>['end'];

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
  connection.onClose(die);
  connection.onNotification('start', (params: unknown) => {
    tunnel ??= start(startParams.parse(params), prepared, {
      tell,
      async configure(given) {
        const { isApplied } = await connection.sendRequest<Configured>('configuration', given);
        return isApplied;
      },
    });
  });
  let leaving: Promise<void> | undefined;
  const leave = () => {
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
    tell: <Name extends EngineMessageName>(name: Name, params: EngineMessage<Name>) => Promise<void>;
    configure: (given: GivenConfiguration) => Promise<boolean>;
  },
): Tunnel {
  const { host, address, port, proxy } = params;
  const session = params.hasClientCertificate ? withIdentity(params.session, readIdentity()) : params.session;
  const { tell } = helper;
  const end = (why: End) => void tell('ended', { end: why });
  const signal = new AbortController().signal;
  let refused: Extract<SecureResult, { ok: false }> | undefined;
  let isReached = false;
  /** Of the sign-in, then of the last connection. */
  let tlsSession = (): Buffer | undefined =>
    session.tlsSession === undefined ? undefined : Buffer.from(session.tlsSession, 'base64');

  async function openConnection(): Promise<SecureResult> {
    const resume = tlsSession();
    const place = { host, address, port, proxy, session };
    const result = await openSecureConnection({ ...place, resume }, signal);
    // A gateway, or something on the way, may not cope with a resumed session; if nothing answers, that is not the cause.
    const isForSession =
      !result.ok &&
      (result.failure !== 'gateway-unreachable' || result.cause?.startsWith('gateway-tls') === true);
    if (!isForSession || resume === undefined) return result;
    tlsSession = () => undefined;
    return await openSecureConnection({ ...place, resume: undefined }, signal);
  }

  const tunnel = createTunnel({
    // Without a host name, the gateway was verified by its address.
    host: isIP(host) === 0 || proxy ? host : address,
    address,
    port,
    cookie: session.cookie,
    userAgent: userAgent(session.agent ?? 'open'),
    linkMtu: usableLinkMtu(params.linkMtu),
    mtu: params.mtu,
    roundTripMs: params.roundTripMs,
    usesDatagrams: proxy === undefined,
    async openTls() {
      const result = await openConnection();
      if (!result.ok) {
        refused = result;
        void tell('note', { text: `no TLS connection: ${result.detail}`.slice(0, 300) });
        return undefined;
      }
      if (!isReached) void tell('reached', {});
      isReached = true;
      if (result.isResumed) void tell('note', { text: 'TLS has been resumed' });
      const before = tlsSession();
      tlsSession = () => result.session() ?? before;
      if (result.encryption) void tell('encryption', { transport: 'tls', encryption: result.encryption });
      return result.connection;
    },
    openDatagrams: (to) => dataPath?.datagramsTo(address, to) ?? datagramsTo(address, to),
    listener: {
      onPacket: (packet) => device.write(packet),
      onRoom: () => fastDevice?.resume(),
      async onConfiguration(answer, mtu) {
        const isApplied = await helper.configure(givenBy(answer, mtu, params.wantsPushedRoutes));
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
        if (why.kind === 'not-opened' && refused?.cause) void tell('unreachable', { cause: refused.cause });
        const text = noteOn(why);
        if (text !== undefined) void tell('note', { text });
        end(endOf(why, refused));
      },
    },
  });
  const onPacket = (packet: Buffer) => tunnel.send(packet);
  const onDeviceEnd = (error: Error) => {
    void tell('note', { text: `the device cannot be read: ${error.message}`.slice(0, 300) });
    tunnel.close();
    end('failed');
  };
  const opened = {
    descriptor: descriptors.device,
    onPacket,
    isBusy: () => tunnel.isBusy(),
    onEnd: onDeviceEnd,
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

function readIdentity(): string {
  const bytes = Buffer.alloc(fstatSync(descriptors.identity).size);
  try {
    // From its beginning: whoever wrote it is at its end, and so is this descriptor.
    const length = readSync(descriptors.identity, bytes, 0, bytes.length, 0);
    return bytes.toString('utf8', 0, length);
  } finally {
    bytes.fill(0);
    closeSync(descriptors.identity);
  }
}

function givenBy(answer: ConnectAnswer, mtu: number, withRoutes: boolean): GivenConfiguration {
  const { ipv4, ipv6, resolvers, searchDomains, routes } = answer;
  return {
    ...(ipv4 !== undefined && { ipv4 }),
    ...(ipv6 !== undefined && { ipv6 }),
    mtu: String(mtu),
    servers: resolvers,
    searchDomains,
    ...(withRoutes && { routes }),
  };
}

function termsOf({
  limits,
  banner,
  splitDns,
  postAuthXml,
}: ConnectAnswer): GivenTerms & EngineMessage<'terms'> {
  const { sessionSeconds, idleSeconds } = limits;
  return {
    ...(sessionSeconds !== undefined && { sessionSeconds }),
    ...(idleSeconds !== undefined && { idleSeconds }),
    ...(banner !== undefined && { message: banner.slice(0, termsLimits.message) }),
    splitDns: splitDns.slice(0, termsLimits.splitDns),
    attributes: postAuthXml === undefined ? [] : readCustomAttributes(postAuthXml),
  };
}

/** The gateway's status for a session that is over, or not known (ocserv, worker-vpn.c). */
const unauthorized = 401;

function endOf(why: TunnelEnd, refused: Extract<SecureResult, { ok: false }> | undefined): End {
  switch (why.kind) {
    case 'not-opened':
      if (refused?.failure === 'gateway-certificate-refused') return 'certificate-refused';
      return refused?.failure === 'certificate-required'
        ? 'client-certificate-refused'
        : 'gateway-unreachable';
    case 'not-granted': {
      const { outcome } = why;
      if (outcome.kind === 'unusable') return 'unsuited';
      if (outcome.kind === 'refused') return outcome.status === unauthorized ? 'session-refused' : 'failed';
      // With TLS 1.3, a client without the right certificate is told so after the handshake.
      const isCertificate = outcome.kind === 'closed' && wantsCertificate(outcome.error);
      return isCertificate ? 'client-certificate-refused' : 'failed';
    }
    case 'not-configured':
      return 'configuration-failed';
    case 'ended':
      if (why.by.kind === 'goodbye') return why.by.final ? 'session-refused' : 'failed';
      return why.by.kind === 'closed' ? 'connection-lost' : 'failed';
    case 'dead':
      return 'connection-lost';
    default:
      return why satisfies never;
  }
}

function noteOn(why: TunnelEnd): string | undefined {
  if (why.kind === 'dead') return 'the gateway is silent';
  if (why.kind === 'ended') {
    const { by } = why;
    return by.kind === 'goodbye' ? `the gateway says goodbye: ${by.text}` : `the tunnel has ended: ${by.why}`;
  }
  if (why.kind !== 'not-granted') return undefined;
  const { outcome } = why;
  return outcome.kind === 'refused'
    ? `the gateway refuses: ${outcome.status} ${outcome.reason}`
    : `no tunnel: ${outcome.why}`.slice(0, 300);
}
