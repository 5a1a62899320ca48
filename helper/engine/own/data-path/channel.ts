import type { CipherSuite } from '#node/anyconnect/dtls/cipher-suites.ts';
import { headerBytes } from '#node/anyconnect/dtls/record.ts';
import { createReplayWindow, type ReplayWindow } from '#node/anyconnect/dtls/replay-window.ts';
import type { DatagramSocket } from './this-system.ts';
import { knownSuite } from './known-answers.ts';
import type { TakeOver } from './messages.ts';
import type { RecordCiphers, RecordOpenerInPlace, RecordSealerInPlace } from './record-cipher.ts';

/** The keys of a channel that has shaken hands. */
export interface Secured {
  readonly suite: CipherSuite;
  readonly sealer: RecordSealerInPlace;
  readonly opener: RecordOpenerInPlace;
  readonly window: ReplayWindow;
  sequence: number;
  /** Where the kind of the packet is in a record. */
  readonly begin: number;
  readonly mtu: number;
  readonly askAfterMs: number;
}

export interface Channel {
  readonly number: number;
  readonly socket: DatagramSocket;
  readonly clock: BigInt64Array;
  secured: Secured | undefined;
  isRetired: boolean;
  /** When something was sent that has not been answered, and whether that was told. */
  unansweredAt: number;
  isQuietTold: boolean;
}

export const createChannel = (
  number: number,
  socket: DatagramSocket,
  shared: SharedArrayBuffer,
): Channel => ({
  number,
  socket,
  clock: new BigInt64Array(shared),
  secured: undefined,
  isRetired: false,
  unansweredAt: 0,
  isQuietTold: false,
});

/** Makes what a channel needs from what the handshake has agreed on, and wipes the keys. */
export function secure(ciphers: RecordCiphers, given: TakeOver): Secured {
  const { client, server, sequence, seen } = given.records;
  const suite = knownSuite(given.suite);
  const first = Buffer.alloc(8);
  first.writeUInt16BE(1, 0);
  first.writeUIntBE(sequence, 2, 6);
  const window = createReplayWindow();
  for (const number of seen) if (window.isFresh(number)) window.accept(number);
  const secured: Secured = {
    suite,
    sealer: ciphers.sealer(suite, client, first),
    opener: ciphers.opener(suite, server),
    window,
    sequence,
    begin: headerBytes + suite.explicitNonceBytes,
    mtu: given.mtu,
    askAfterMs: given.askAfterMs,
  };
  // OpenSSL has copies of its own.
  client.key.fill(0);
  server.key.fill(0);
  return secured;
}

/** Takes nothing from it any more, and sends nothing. */
export function retireKeys(channel: Channel): void {
  channel.isRetired = true;
  channel.secured?.sealer.free();
  channel.secured?.opener.free();
  channel.secured = undefined;
}

/** Tells the main thread a time of this channel (`clock`). */
export const setClock = (channel: Channel, index: number, time: number): void =>
  void Atomics.store(channel.clock, index, BigInt(Math.ceil(time)));
