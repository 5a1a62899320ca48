import { createHmac, randomBytes } from 'node:crypto';

/** What a user's device and the gateway share to generate one-time codes (HOTP, RFC 4226). */
export interface OneTimeCodes {
  /** The next code; a code is never repeated. */
  next: () => string;
  /** A line of a gateway's file of users and keys, in the format of liboath's users.oath. */
  usersFileLine(user: string): string;
}

export function createOneTimeCodes(): OneTimeCodes {
  const key = randomBytes(20);
  let counter = 0n;
  return {
    next() {
      const code = hotp(key, counter);
      counter += 1n;
      return code;
    },
    usersFileLine: (user) => `HOTP/E/6\t${user}\t-\t${key.toString('hex')}`,
  };
}

/** The six-digit code at a counter (RFC 4226 §5.3). */
export function hotp(key: Uint8Array, counter: bigint): string {
  const message = Buffer.alloc(8);
  message.writeBigUInt64BE(counter);
  const digest = createHmac('sha1', key).update(message).digest();
  const offset = (digest.at(-1) ?? 0) & 0xf;
  return String((digest.readUInt32BE(offset) & 0x7fff_ffff) % 1_000_000).padStart(6, '0');
}
