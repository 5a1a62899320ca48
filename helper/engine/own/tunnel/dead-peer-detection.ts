import { toleratedRoundTripMs } from '../../engine-port.ts';

/** For how long an end that says nothing is waited for, in milliseconds. */
export interface Patience {
  /** After traffic without an answer, it is asked whether it is there, and so often. */
  askAfterMs: number;
  askEveryMs: number;
  /** After so long, the packets take the other channel. */
  silentAfterMs: number;
  /** Without traffic, it is asked after so long. */
  idleMs: number;
  /** The same once nobody has sent anything for a while: each question wakes the processor, and maybe a radio. */
  restMs: number;
  /** The same for TLS while DTLS carries the packets. */
  besideDtlsMs: number;
}

/** Somebody who has sent nothing for so long does not wait for the gateway, in milliseconds. */
const restAfterMs = 5_000;
/** Many routers forget about UDP that nobody has answered after 30 seconds. */
const restMs = 25_000;
/** They remember TCP for minutes (RFC 5382, REQ-5), and a gateway that goes falls silent by DTLS, too. */
const besideDtlsMs = 60_000;

/** A gateway that takes long to answer has that time in addition: several answers, of which some get lost. */
export function patienceWith(roundTripMs: number): Patience {
  return {
    askAfterMs: Math.max(300, 1.5 * roundTripMs),
    askEveryMs: Math.max(150, roundTripMs / 2),
    silentAfterMs: Math.max(900, 4 * roundTripMs),
    // As with openconnect, whose least is two seconds.
    idleMs: Math.max(2_000, 1.2 * toleratedRoundTripMs(roundTripMs)),
    restMs: Math.max(restMs, 1.2 * toleratedRoundTripMs(roundTripMs)),
    besideDtlsMs: Math.max(besideDtlsMs, 1.2 * toleratedRoundTripMs(roundTripMs)),
  };
}

/** After how long a silent gateway is asked, if the last packet was sent at this time. */
export function askIdleAfter({ idleMs, restMs: rest }: Patience, now: number, dataSentAt: number): number {
  return now - dataSentAt < restAfterMs ? idleMs : rest;
}

/** What is known of a channel that carries packets. Times are those of `performance.now()`. */
export interface ChannelTimes {
  /** Since when something was sent and nothing has come back; undefined if nothing is outstanding. */
  unansweredSince: number | undefined;
  /** When it was asked last. */
  askedAt: number;
  heardAt: number;
  dataSentAt: number;
}

/** `until`: when to look again. */
export type PeerVerdict =
  /** Nothing is sent, and nothing outstanding. */
  | { kind: 'quiet'; until: number }
  | { kind: 'awaited'; until: number }
  | { kind: 'to-ask'; until: number }
  /** It has been silent for too long: the packets take the other channel. */
  | { kind: 'dead' };

/** Decides whether the other end of a channel that carries packets is asked, or taken for dead. */
export function judgePeer(
  patience: Patience,
  now: number,
  { unansweredSince, askedAt, heardAt, dataSentAt }: ChannelTimes,
): PeerVerdict {
  if (unansweredSince === undefined) {
    const idleUntil = heardAt + askIdleAfter(patience, now, dataSentAt);
    if (now < idleUntil) return { kind: 'quiet', until: idleUntil };
    return { kind: 'to-ask', until: now + patience.askEveryMs };
  }
  const deadAt = unansweredSince + patience.silentAfterMs;
  if (now >= deadAt) return { kind: 'dead' };
  const askAt = Math.max(unansweredSince + patience.askAfterMs, askedAt + patience.askEveryMs);
  if (now < askAt) return { kind: 'awaited', until: Math.min(askAt, deadAt) };
  return { kind: 'to-ask', until: Math.min(now + patience.askEveryMs, deadAt) };
}
