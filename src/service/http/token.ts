import { hash, randomBytes, timingSafeEqual } from 'node:crypto';

/** A device's token: 32 random bytes in base64url. */
export function makeToken(): string {
  return randomBytes(32).toString('base64url');
}

/** SHA-256 in hexadecimal. A token is random, so a slower hash would not protect it better. */
export function sha256(text: string): string {
  return hash('sha256', text, 'hex');
}

/** Compares two texts in a time that does not depend on where they differ. */
export function sameText(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
