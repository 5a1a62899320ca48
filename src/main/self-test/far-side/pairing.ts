import { createHmac, randomInt, timingSafeEqual } from 'node:crypto';
import type { TLSSocket } from 'node:tls';

/** Crockford's digits, without letters that look like others. */
const digits = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const isOfDigits = new RegExp(`^[${digits}]*$`);
const length = 16;

/**
 * A code that one computer shows and somebody types at the other one: 80 bits, so that nobody finds it by trying, also
 * not somebody who has seen what is made from it.
 */
export function newPairingCode(): string {
  const code = Array.from({ length }, () => digits[randomInt(digits.length)]).join('');
  return code.match(/.{4}/g)?.join('-') ?? code;
}

/** As it was made, whatever it was typed like; undefined if it is none. */
export function readPairingCode(typed: string): string | undefined {
  const plain = typed.toUpperCase().replaceAll(/[\s-]/g, '').replaceAll('O', '0').replaceAll(/[IL]/g, '1');
  if (plain.length !== length || !isOfDigits.test(plain)) return undefined;
  return plain.match(/.{4}/g)?.join('-');
}

const exporterLabel = 'EXPORTER-waymaker-self-test';
const exporterBytes = 32;

/**
 * What only somebody makes who knows the code, and for this very connection (RFC 9266): whoever sits in between has two
 * connections. That is why neither end needs the other's certificate.
 */
export function proofOf(who: 'asking' | 'answering', code: string, socket: TLSSocket): string {
  // A context that is empty is another one than none with TLS 1.2, which is not spoken here.
  const exported = socket.exportKeyingMaterial(exporterBytes, exporterLabel, Buffer.alloc(0));
  return createHmac('sha256', code).update(`${who} `).update(exported).digest('hex');
}

export function isProof(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}
