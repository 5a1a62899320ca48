import { createCstpChannel, type ChannelListener, type CstpChannel } from '../cstp/channel.ts';
import type { ConnectAnswer } from '../cstp/connect-answer.ts';
import type { ConnectRequest } from '../cstp/connect-request.ts';
import { packetKind } from '#node/anyconnect/cstp/packet.ts';
import { tunnelMtu } from './mtu.ts';
import { askIdleAfter, type Patience } from './dead-peer-detection.ts';
import type { SecureConnection, TunnelEnd } from './tunnel-port.ts';

/** The TLS channel, and when something came or went there. */
export interface Tls {
  channel: CstpChannel;
  connection: SecureConnection;
  /** Resolves when the gateway has ended it. */
  ended: Promise<void>;
  answer: ConnectAnswer;
  mtu: number;
  grantedAt: number;
  heardAt: number;
  sentAt: number;
  /** The last packet of the device's. */
  dataSentAt: number;
  askedAt: number;
  /** When it was asked first since it was heard; earlier than that if it has answered. */
  unansweredAt: number;
}

/**
 * TLS is dead if so many waits pass without a sign of life; where many packets get lost, TCP may be silent for long.
 */
const deadAfterWaits = { usual: 2.5, besideDtls: 10 } as const;
const nothing = Buffer.alloc(0);

/** Asks for a tunnel on a connection. `address`: the gateway's; the listener is told which channel it is about. */
export async function askForTunnel(
  connection: SecureConnection,
  request: ConnectRequest & { address: string },
  listener: {
    onPacket(channel: CstpChannel, ...packet: Parameters<ChannelListener['onPacket']>): void;
    onRoom(): void;
    onEnd(channel: CstpChannel, ...end: Parameters<ChannelListener['onEnd']>): void;
  },
): Promise<{ tls: Tls } | TunnelEnd> {
  const { promise: ended, resolve: hasEnded } = Promise.withResolvers<void>();
  const channel: CstpChannel = createCstpChannel(connection.socket, {
    onPacket: (kind, payload) => listener.onPacket(channel, kind, payload),
    onRoom: () => listener.onRoom(),
    onEnd(by) {
      hasEnded();
      listener.onEnd(channel, by);
    },
  });
  const outcome = await channel.connect(request);
  if (outcome.kind !== 'granted') return { kind: 'not-granted', outcome };
  const { answer } = outcome;
  const now = performance.now();
  const mtu = tunnelMtu(answer, { gateway: request.address, mtu: request.linkMtu });
  const came = { grantedAt: now, heardAt: now, sentAt: now, dataSentAt: now };
  const times = { ...came, askedAt: -Infinity, unansweredAt: -Infinity };
  return { tls: { channel, connection, ended, answer, mtu, ...times } };
}

/** Asks a silent gateway whether it is there; returns when to look again, or that it is not. */
export function checkTls(now: number, tls: Tls, patience: Patience, isBesideDtls: boolean): number | 'dead' {
  const { dpdSeconds, keepAliveSeconds } = tls.answer.tls;
  const waits = deadAfterWaits[isBesideDtls ? 'besideDtls' : 'usual'];
  /** When a gateway that does not answer is given up. */
  const answerDueBy = () => tls.unansweredAt + (waits - 1) * patience.idleMs;
  if (isAsked(tls) && now >= answerDueBy()) return 'dead';
  const idleMs = isBesideDtls ? patience.besideDtlsMs : askIdleAfter(patience, now, tls.dataSentAt);
  const askAt = () =>
    isAsked(tls)
      ? tls.askedAt + patience.idleMs
      : tls.heardAt + Math.min(idleMs, dpdSeconds === undefined ? Infinity : 1_000 * dpdSeconds);
  if (now >= askAt()) {
    if (!isAsked(tls)) tls.unansweredAt = now;
    tls.askedAt = now;
    tls.sentAt = now;
    tls.channel.send(packetKind.dpdRequest, nothing);
  }
  const keepAliveMs = keepAliveSeconds === undefined ? Infinity : 1_000 * keepAliveSeconds;
  if (now >= tls.sentAt + keepAliveMs) {
    tls.sentAt = now;
    tls.channel.send(packetKind.keepAlive, nothing);
  }
  return Math.min(askAt(), isAsked(tls) ? answerDueBy() : Infinity, tls.sentAt + keepAliveMs);
}

/** Whether a question to the gateway has no answer yet. */
const isAsked = ({ unansweredAt, heardAt }: Tls) => unansweredAt > heardAt;

/** Whether the system has to be configured anew. */
export function differs(old: Tls, fresh: Tls): boolean {
  const told = ({ answer, mtu }: Tls) => {
    const { ipv4, ipv6, resolvers, searchDomains, routes } = answer;
    return JSON.stringify({ ipv4, ipv6, resolvers, searchDomains, routes, mtu });
  };
  return told(old) !== told(fresh);
}
