import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * By this, a program of the user's knows the core from what another user has made under the same name: 64 hexadecimal
 * digits. `key`: of the place of control.
 */
export const controlProof = (key: string, nonce: string): string =>
  createHmac('sha256', key).update(`hello ${nonce}`).digest('hex');

export function isControlProof(key: string, nonce: string, proof: string | undefined): boolean {
  const [right, given] = [Buffer.from(controlProof(key, nonce)), Buffer.from(proof ?? '')];
  return right.length === given.length && timingSafeEqual(right, given);
}
