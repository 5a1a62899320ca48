import { maxQueued, type ChannelEnd, type CstpChannel } from '../cstp/channel.ts';
import type { ConnectAnswer } from '../cstp/connect-answer.ts';
import { packetKind } from '#node/anyconnect/cstp/packet.ts';
import { waitToTheEnd } from '#node/wait-to-the-end.ts';
import { createAlarm } from './alarm.ts';
import { askOnHeld } from './ask-held.ts';
import { hasLasted, renewalPauseMs } from './connection-pauses.ts';
import { createDtlsSide } from './dtls-side.ts';
import { overheadTo, tunnelMtu } from './mtu.ts';
import { patienceWith } from './dead-peer-detection.ts';
import { oneAfterAnother } from './one-after-another.ts';
import { askForTunnel, checkTls, differs, type Tls } from './tls-side.ts';
import type { SecureConnection, Tunnel, TunnelEnd, TunnelOptions } from './tunnel-port.ts';
import { createSwitchover, untilQuiet } from './rekey-switchover.ts';
import type { State, Up } from './tunnel-state.ts';

/** New keys are made some time before they are due. */
const renewalShare = 0.9;
/** However often a gateway wants new keys: each time costs both a handshake. */
const minRenewalMs = 5_000;
const renewalLimitMs = 15_000;
/** To open a connection anew that has broken may take no longer. */
const comeBackLimitMs = 3_000;
/** What was on its way to the old channels while the new ones were asked for. */
const drainMs = 3_000;

export function createTunnel(options: TunnelOptions): Tunnel {
  const { listener } = options;
  const patience = patienceWith(options.roundTripMs);
  /** How long packets wait for DTLS on a narrow path. */
  const maxWaitForDtlsMs = 2 * patience.silentAfterMs;
  let { linkMtu } = options;
  /** The largest packet that is known to pass inside the tunnel, until it is known what a packet has around it. */
  let passesInside = options.mtu;
  let state: State = { at: 'opening' };
  /** The last request for a tunnel, from when it is made. */
  let request: Promise<{ tls: Tls } | TunnelEnd> | undefined;
  /** Whether the user has ended it: the session is to end, too, on whichever connection has it by then. */
  let isLeft = false;
  /** Settles when the last new connection has taken the place of the one before, or could not. */
  let renewed: Promise<void> = Promise.resolve();
  /** Not every system is configured before the path, or the gateway, has something new to say. */
  const configure = oneAfterAnother(async (answer: ConnectAnswer, mtu: number) =>
    isEnded() ? false : await listener.onConfiguration(answer, mtu),
  );
  const switchover = createSwitchover(sendTls, options.roundTripMs);
  const alarm = createAlarm(check);
  const dtls = createDtlsSide({
    options,
    patience,
    alarm,
    listener: {
      onPacket: receive,
      onDecided() {
        if (state.at === 'up' && state.holdUntil < Infinity) release(state);
      },
      onSilent(unanswered) {
        // The first of them makes the gateway answer by TLS, too (ocserv).
        for (const packet of unanswered) send(packet);
      },
      onSmallerPath(smaller) {
        if (state.at !== 'up') return;
        const passes = smaller + overheadTo(state.tls.connection.address);
        // One that could not be had for this is tried again in its time.
        if (passes >= linkMtu) return;
        linkMtu = passes;
        // Only a new tunnel makes the gateway's packets smaller.
        void renew();
      },
    },
  });

  function end(why: TunnelEnd): void {
    if (state.at === 'ended') return;
    close();
    listener.onEnd(why);
  }

  function close(): void {
    const was = state;
    state = { at: 'ended' };
    alarm.stop();
    dtls.close();
    if ('tls' in was) was.tls.channel.close();
  }

  async function ask(connection: SecureConnection): Promise<{ tls: Tls } | TunnelEnd> {
    const { cookie, userAgent } = options;
    const { address } = connection;
    const { host = address } = options;
    const overhead = overheadTo(address);
    if (passesInside !== undefined) linkMtu = Math.min(linkMtu, passesInside + overhead);
    passesInside = undefined;
    listener.onNote('asking for a tunnel');
    const asked = await askForTunnel(
      connection,
      {
        host,
        address,
        cookie,
        userAgent,
        linkMtu,
        tunnelMtu: linkMtu - overhead,
        wantsDtls: options.usesDatagrams,
      },
      { onPacket: takeTls, onRoom: () => listener.onRoom?.(), onEnd: tlsEnded },
    );
    if ('tls' in asked) listener.onGranted?.(asked.tls.answer);
    return asked;
  }

  async function start(): Promise<void> {
    const connection = await options.openTls();
    if (isEnded()) return void connection?.socket.destroy();
    if (!connection) return end({ kind: 'not-opened' });
    const { heldPatienceMs: patienceMs } = connection;
    request =
      patienceMs === undefined
        ? ask(connection)
        : askOnHeld({
            held: connection,
            patienceMs,
            ask,
            open: () => options.openTls(),
            onUnanswered: () => listener.onNote('the connection that was held does not answer'),
          });
    const asked = await request;
    if (isLeft) return;
    if (isEnded()) return void ('tls' in asked && asked.tls.channel.close());
    if (!('tls' in asked)) return end(asked);
    const { tls } = asked;
    const up: Up = {
      at: 'up',
      tls,
      lost: undefined,
      renewal: { at: 'none' },
      renewAt: renewalTime(tls.answer),
      renewalsInVain: 0,
      isOpenedAnew: false,
      isConfigured: false,
      held: [],
      holdUntil: Infinity,
    };
    state = up;
    if (tls.answer.dtls.kind === 'none') listener.onNote('DTLS is not used', tls.answer.dtls.why);
    // It shakes hands while the system is configured.
    dtls.open(tls);
    alarm.by(Math.min(performance.now() + patience.idleMs, up.renewAt));
    const isConfigured = await configure(tls.answer, tls.mtu);
    if (isEnded()) return;
    if (!isConfigured) return end({ kind: 'not-configured' });
    up.isConfigured = true;
    // New keys may have been due meanwhile.
    if (up.renewal.at === 'none' || up.renewal.at === 'opening') releaseWhenPossible(up);
  }

  /**
   * Where the path is known to carry less than its links, DTLS is waited for: TCP makes full segments of what TLS
   * carries, and those may vanish like others.
   */
  function releaseWhenPossible(up: Up): void {
    if (linkMtu >= options.linkMtu || !dtls.isOpening()) return release(up);
    up.holdUntil = performance.now() + maxWaitForDtlsMs;
    alarm.by(up.holdUntil);
  }

  function release(up: Up): void {
    const { held = [] } = up;
    up.held = undefined;
    up.holdUntil = Infinity;
    for (const packet of held) send(packet);
    if (!isBusy()) listener.onRoom?.();
  }

  /** What is held had better wait where there is more room. */
  const isBusy = () => state.at === 'up' && (state.held !== undefined || state.tls.channel.isBusy());

  const isEnded = () => state.at === 'ended';

  const renewalTime = ({ rekey }: ConnectAnswer) =>
    rekey.method === 'none'
      ? Infinity
      : performance.now() + Math.max(renewalShare * 1_000 * rekey.seconds, minRenewalMs);

  // TLS

  function takeTls(channel: CstpChannel, kind: number, payload: Buffer): void {
    if (!('tls' in state)) return;
    const { tls } = state;
    // Packets of the old channel are good until the new one is there.
    if (channel === tls.channel) tls.heardAt = performance.now();
    if (kind === packetKind.data) receive(payload, channel);
    if (kind === packetKind.dpdRequest) channel.send(packetKind.dpdAnswer, payload);
  }

  /** `by`: the channel, if it came by TLS. */
  function receive(packet: Buffer, by?: CstpChannel): void {
    if (switchover.takes(packet, by)) return;
    if (state.at === 'up' && state.isConfigured && packet.length > 0) listener.onPacket(packet);
  }

  function tlsEnded(channel: CstpChannel, by: ChannelEnd): void {
    if (!('tls' in state) || channel !== state.tls.channel) return;
    // The gateway has read the request for the new one.
    if (state.renewal.at === 'asking') return;
    const { isConfigured, tls, renewal, isOpenedAnew } = state;
    // The session may well be as good as before. Soon after it was granted, another try would only be another one.
    const mayComeBack = isConfigured && renewal.at !== 'configuring';
    if (by.kind !== 'closed' || !mayComeBack || !hasLasted(performance.now() - tls.grantedAt, isOpenedAnew))
      return end({ kind: 'ended', by });
    listener.onNote('TLS has ended, and is opened anew', by.why);
    state.lost = by;
    if (!dtls.isCarrying()) state.held ??= [];
    if (renewal.at === 'none') void renew();
  }

  function sendTls(tls: Tls, packet: Buffer): void {
    if (!tls.channel.send(packetKind.data, packet)) return;
    tls.dataSentAt = performance.now();
    tls.sentAt = tls.dataSentAt;
    alarm.by(tls.sentAt + patience.idleMs);
  }

  // New keys

  /** Always by a new tunnel, whatever the gateway announces: renegotiation breaks with some, and TLS 1.3 has none. */
  async function renew(): Promise<void> {
    if (state.at !== 'up' || state.renewal.at !== 'none') return;
    const up = state;
    up.renewal = { at: 'opening' };
    const { promise: limit, resolve: isLate } = Promise.withResolvers<'late'>();
    const stop = waitToTheEnd(up.lost ? comeBackLimitMs : renewalLimitMs, () => isLate('late'));
    renewed = renewWithin(up, limit).finally(stop);
    await renewed;
  }

  async function renewWithin(up: Up, limit: Promise<'late'>): Promise<void> {
    // By a connection that has broken, no session can be ended: whoever leaves does so by the new one.
    const isOver = () => isEnded() && !(isLeft && up.lost);
    const opening = options.openTls();
    if (!up.lost) switchover.ask(up.tls);
    const connection = await Promise.race([opening, limit]);
    if (isOver() || connection === 'late')
      // One that is not used is not left to the gateway.
      void opening.then((opened) => opened?.socket.destroy());
    if (isOver()) return;
    if (connection === undefined || connection === 'late') return notRenewed('no connection');

    up.renewal = { at: 'asking' };
    up.held ??= [];
    up.holdUntil = Infinity;
    const old = up.tls;
    const wasCarrying = dtls.isCarrying();
    // ocserv takes any datagram of the old one that comes after the request for that of a client that has moved, and
    // then refuses to shake hands for three seconds.
    const datagramHeardAt = dtls.drain();
    // Where TLS is gone and DTLS carried nothing, nothing is on its way.
    if (!up.lost || wasCarrying) await untilQuiet(() => Math.max(old.heardAt, datagramHeardAt()));
    if (isOver()) return void connection.socket.destroy();
    request = ask(connection);
    const asked = await Promise.race([request, limit]);
    if (isLeft && asked !== 'late') return;
    if (isEnded()) return void connection.socket.destroy();
    if (asked === 'late' || !('tls' in asked)) {
      connection.socket.destroy();
      // The request may have ended the old channel; nobody would have told.
      return end(asked === 'late' ? { kind: 'dead' } : asked);
    }
    const { tls } = asked;
    up.tls = tls;
    const hasGoneOver = switchover.hasGoneOver(up.lost ? undefined : old, tls);
    up.isOpenedAnew = up.lost !== undefined;
    up.lost = undefined;
    up.renewalsInVain = 0;
    up.renewal = { at: 'configuring' };
    setTimeout(() => old.channel.close(), drainMs).unref();
    if (differs(old, tls) && !(await configure(tls.answer, tls.mtu))) return end({ kind: 'not-configured' });
    await hasGoneOver;
    if (isEnded()) return;
    up.renewal = { at: 'none' };
    up.renewAt = renewalTime(tls.answer);
    if (wasCarrying) listener.onTransport('tls');
    listener.onNote('new keys');
    dtls.open(tls);
    if (up.isConfigured) releaseWhenPossible(up);
    alarm.by(Math.min(performance.now() + patience.idleMs, up.renewAt));
  }

  function notRenewed(why: string): void {
    if (state.at !== 'up') return;
    if (state.lost) return end({ kind: 'ended', by: state.lost });
    state.renewal = { at: 'none' };
    state.renewalsInVain += 1;
    state.renewAt = performance.now() + renewalPauseMs(state.renewalsInVain);
    listener.onNote('no new keys', why);
    alarm.by(state.renewAt);
    void shrinkAlone(state);
  }

  /** Of a smaller path, the gateway could not be told: this machine's packets at least fit it. */
  async function shrinkAlone(up: Up): Promise<void> {
    const mtu = tunnelMtu(up.tls.answer, { gateway: up.tls.connection.address, mtu: linkMtu });
    if (mtu >= up.tls.mtu) return;
    up.tls.mtu = mtu;
    if (!(await configure(up.tls.answer, mtu))) end({ kind: 'not-configured' });
  }

  // Both

  function check(now: number, lateMs: number): number {
    if (state.at === 'opening' || state.at === 'ended') return Infinity;
    // Whoever did not run for so long has not listened either: what has come meanwhile is read after this.
    if (lateMs > patience.idleMs) state.tls.heardAt = Math.max(state.tls.heardAt, now - patience.idleMs);
    // Of one that is being opened anew, nobody expects anything.
    const tlsAt = state.lost ? Infinity : checkTls(now, state.tls, patience, dtls.isCarrying());
    if (tlsAt === 'dead' && state.renewal.at !== 'asking') {
      end({ kind: 'dead' });
      return Infinity;
    }
    const nextTls = tlsAt === 'dead' ? now + patience.idleMs : tlsAt;
    if (now >= state.renewAt) {
      state.renewAt = Infinity;
      void renew();
    }
    const nextDtls = dtls.check(now, state.lost ? undefined : state.tls);
    if (!('renewAt' in state)) return Infinity;
    if (now >= state.holdUntil) release(state);
    return Math.min(nextTls, nextDtls, state.renewAt, state.holdUntil);
  }

  function send(packet: Buffer): void {
    if (state.at !== 'up') return;
    const { held, tls } = state;
    if (held) {
      if (held.length < maxQueued) held.push(packet);
      return;
    }
    if (dtls.send(packet)) {
      alarm.by(performance.now() + patience.askAfterMs);
      return;
    }
    if (state.lost) state.held = [packet];
    else sendTls(tls, packet);
  }

  void start();
  return {
    send,
    isBusy,
    async leave() {
      const was = state;
      isLeft = true;
      state = { at: 'ended' };
      alarm.stop();
      dtls.close();
      const last = 'tls' in was ? was.tls.channel : undefined;
      const isBroken = 'lost' in was && was.lost !== undefined;
      const { promise: late, resolve: isLate } = Promise.withResolvers<void>();
      const stop = waitToTheEnd(isBroken ? patience.silentAfterMs : patience.askAfterMs, isLate);
      const leaveNext = async () => {
        if (isBroken) await renewed;
        // If another one is asked for, that has the session as soon as the gateway has read so.
        const asked = await request;
        if (asked && 'tls' in asked && asked.tls.channel !== last) await asked.tls.channel.leave();
      };
      await Promise.all([last?.leave(), Promise.race([leaveNext(), late])]);
      stop();
    },
    close,
  };
}
