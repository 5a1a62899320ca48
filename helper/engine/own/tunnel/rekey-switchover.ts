import { waitToTheEnd } from '#node/wait-to-the-end.ts';
import type { CstpChannel } from '../cstp/channel.ts';
import { createFirstHop } from './first-hop-probe.ts';
import type { Tls } from './tls-side.ts';

/**
 * What waits while a gateway goes over from one connection of a session to the next. What it still has to read of the
 * old one then gets lost, and so do answers on their way to it. ocserv makes another device for the new connection, and
 * until the old connection's process has ended, packets for the client go to its device, where nobody reads them.
 */

/** After so long without a packet, those that were on their way have probably come. */
const quietMs = 30;
/** Somebody who is sent packets all the time loses some of them whatever is waited for. */
const maxUntilQuietMs = 90;
/** A gateway may keep the old connection, for as long as this end does, and give no answer by the new one. */
const maxWaitMs = 500;
/** From the old connection's end to that of its device, where that cannot be seen. */
const deviceEndsMs = 60;
/**
 * When the first hop is asked, after the answer of the gateway. Systems answer six times at once, and then once a
 * second (Linux, icmp(7), `icmp_ratelimit`); it was asked once before.
 */
const askAfterMs = [0, 30, 90, 190, 350];

/** Resolves when nothing has come for a while, or has not stopped coming. `heardAt`: of `performance.now()`. */
export async function untilQuiet(heardAt: () => number): Promise<void> {
  const since = performance.now();
  const quietAt = () => Math.min(Math.max(since, heardAt()) + quietMs, since + maxUntilQuietMs);
  for (let left = quietMs; left > 0; left = quietAt() - performance.now()) await wait(left).over;
}

/** What is known of a gateway's going over, from one connection to the next. */
export interface Switchover {
  /** Asks the first hop by a connection, so that it is known later whether it answers. */
  ask(tls: Tls): void;
  /** Whether a packet was an answer to that, and hence is for nobody else. `by`: the channel, if it came by TLS. */
  takes(packet: Buffer, by?: CstpChannel): boolean;
  /**
   * Resolves once the gateway's packets come by the new connection: when the first hop has answered by it, or, where
   * that has never been heard, when the old one has ended, if there still is one, and some time more. A gateway that
   * was waited for in vain is waited for only briefly the next time.
   */
  hasGoneOver(old: Tls | undefined, next: Tls): Promise<void>;
}

/** `send`: gives the gateway a packet by TLS. `roundTripMs`: what is sent now is there after half of it. */
export function createSwitchover(send: (tls: Tls, packet: Buffer) => void, roundTripMs: number): Switchover {
  const firstHop = createFirstHop();
  /** The answer that grants a connection takes half of it, and the next packet the other half. */
  const limitMs = Math.max(0, maxWaitMs - roundTripMs);
  let wasInVain = false;

  /** `onAnswer`: the answer has come by the same connection. An old one may still bring what its device was sent. */
  function ask(tls: Tls, onAnswer?: () => void): void {
    const { ipv4 } = tls.answer;
    if (ipv4 === undefined) return;
    const { packet, answered } = firstHop.ask(ipv4);
    void answered.then((by) => by === tls.channel && onAnswer?.());
    send(tls, packet);
  }

  return {
    ask: (tls) => ask(tls),
    takes: (packet, by) => firstHop.takes(packet, by),
    async hasGoneOver(old, next) {
      const mayAnswer = firstHop.hasAnswered() && next.answer.ipv4 !== undefined;
      if (!old && !mayAnswer) return;
      const { promise: answered, resolve } = Promise.withResolvers<void>();
      const questions = askAfterMs.map((after) => setTimeout(() => ask(next, resolve), after));
      const sign = old && !mayAnswer ? Promise.race([answered, old.ended]) : answered;
      const limit = wait(wasInVain ? Math.min(deviceEndsMs, limitMs) : limitMs);
      wasInVain = await Promise.race([sign.then(() => false), limit.over.then(() => true)]);
      limit.stop();
      // One that comes late shows that there are answers to wait for.
      void answered.then(() => (wasInVain = false));
      if (!wasInVain) await Promise.race([answered, wait(deviceEndsMs).over]);
      for (const question of questions) clearTimeout(question);
    },
  };
}

function wait(milliseconds: number) {
  const { promise: over, resolve } = Promise.withResolvers<void>();
  return { over, stop: waitToTheEnd(milliseconds, resolve) };
}
