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
