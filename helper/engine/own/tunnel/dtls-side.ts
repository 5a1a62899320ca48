import { pauseAfter } from '#shared/back-off.ts';
import type { Alarm } from './alarm.ts';
import type { Patience } from './dead-peer-detection.ts';
import { createDtlsChannel, type DtlsChannel, type DtlsChannelEnd } from './dtls-channel.ts';
import type { Tls } from './tls-side.ts';
import type { TunnelOptions } from './tunnel-port.ts';

type Dtls =
  | { at: 'off' }
  /** It is tried again then. */
  | { at: 'waiting'; until: number }
  /** It is shaken hands with or probed. */
  | { at: 'opening'; channel: DtlsChannel }
  | { at: 'carrying'; channel: DtlsChannel }
  /** It is looked whether it comes back. */
  | { at: 'silent'; channel: DtlsChannel };

/** The DTLS channel beside TLS: it is opened, given up and tried again here. */
export interface DtlsSide {
  /** Opens one for this TLS channel, if the gateway offers that, in place of the one before. */
  open(tls: Tls): void;
  isOpening(): boolean;
  isCarrying(): boolean;
  /** Whether it took the packet. */
  send(packet: Buffer): boolean;
  /**
   * Asks and tries again what is due; returns when to look again. `now`: of `performance.now()`; `tls`: undefined while
   * its connection is gone, which has the key for the next try: `open` makes that.
   */
  check(now: number, tls: Tls | undefined): number;
  /** Sends nothing more, and still receives what is on its way; returns what says when something came last. */
  drain(): () => number;
  close(): void;
}

/** Before DTLS is tried again. */
const backOff = { firstMs: 3_000, maxMs: 60_000 } as const;

/** `listener`: what the tunnel does with it. What users and logs are told goes to the listener of `options`. */
export function createDtlsSide({
  options,
  patience,
  alarm,
  listener,
}: {
  options: Pick<TunnelOptions, 'usesDatagrams' | 'openDatagrams' | 'port' | 'listener'>;
  patience: Patience;
  alarm: Pick<Alarm, 'by'>;
  listener: {
    onPacket(packet: Buffer): void;
    /** It carries packets, or there is none for now: nobody waits for it any longer. */
    onDecided(): void;
    /** TLS carries from now on; these may not have arrived. */
    onSilent(unanswered: readonly Buffer[]): void;
    /** The largest packet in the tunnel that the path still carries. */
    onSmallerPath(mtu: number): void;
  };
}): DtlsSide {
  let dtls: Dtls = { at: 'off' };
  /** Since it last carried packets. */
  let failures = 0;

  function opened({ answer, connection, mtu }: Tls): Dtls {
    const offer = answer.dtls;
    if (offer.kind === 'none' || !options.usesDatagrams) return { at: 'off' };
    const { keepAliveSeconds } = offer;
    /** What follows is about this channel, not one that has taken its place. */
    const isCurrent = () => 'channel' in dtls && dtls.channel === channel;
    const channel: DtlsChannel = createDtlsChannel({
      openDatagrams: options.openDatagrams(connection.address, offer.port ?? options.port),
      key: connection.exportKey(),
      sessionId: offer.id,
      mtu,
      patience,
      keepAliveMs: keepAliveSeconds === undefined ? undefined : 1_000 * keepAliveSeconds,
      listener: {
        onEncryption(suite) {
          // It is probed from now on.
          alarm.by(performance.now() + patience.askAfterMs);
          options.listener.onDtlsEncryption(suite);
        },
        onPacket: (packet) => listener.onPacket(packet),
        onDue: () => alarm.by(performance.now()),
        onCarrying() {
          if (!isCurrent()) return;
          dtls = { at: 'carrying', channel };
          failures = 0;
          options.listener.onTransport('dtls');
          listener.onDecided();
        },
        onSilent(unanswered) {
          if (!isCurrent()) return;
          dtls = { at: 'silent', channel };
          options.listener.onNote('DTLS is silent');
          options.listener.onTransport('tls');
          listener.onSilent(unanswered);
        },
        onSmallerPath(smaller) {
          if (!isCurrent()) return;
          options.listener.onNote('the path carries smaller packets', String(smaller));
          if (dtls.at !== 'carrying') dtls = { at: 'off' };
          listener.onSmallerPath(smaller);
        },
        onEnd(why) {
          if (isCurrent()) ended(why);
        },
      },
    });
    alarm.by(performance.now() + patience.askAfterMs);
    return { at: 'opening', channel };
  }

  function ended(why: DtlsChannelEnd): void {
    const wasCarrying = dtls.at === 'carrying';
    failures += 1;
    const until = performance.now() + pauseAfter(failures, backOff);
    dtls = { at: 'waiting', until };
    options.listener.onNote('DTLS has ended', why);
    if (wasCarrying) options.listener.onTransport('tls');
    listener.onDecided();
    alarm.by(until);
  }

  return {
    open(tls) {
      dtls = opened(tls);
    },
    isOpening: () => dtls.at === 'opening',
    isCarrying: () => dtls.at === 'carrying',
    send: (packet) => dtls.at === 'carrying' && dtls.channel.send(packet),
    check(now, tls) {
      switch (dtls.at) {
        case 'off':
          return Infinity;
        case 'waiting':
          if (now < dtls.until) return dtls.until;
          if (!tls) return Infinity;
          dtls = opened(tls);
          return now + patience.askAfterMs;
        case 'opening':
        case 'carrying':
        case 'silent':
          return dtls.channel.check(now);
        default:
          return dtls satisfies never;
      }
    },
    drain() {
      const drained = 'channel' in dtls ? dtls.channel : undefined;
      drained?.drain();
      dtls = { at: 'off' };
      return () => drained?.heardAt() ?? -Infinity;
    },
    close() {
      const was = dtls;
      dtls = { at: 'off' };
      if ('channel' in was) was.channel.close('silently');
    },
  };
}
