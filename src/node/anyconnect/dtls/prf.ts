import { createHmac } from 'node:crypto';

export type PrfHash = 'sha256' | 'sha384';

/** The pseudorandom function of TLS 1.2 (RFC 5246 §5). */
export function prf(
  hash: PrfHash,
  secret: Uint8Array,
  label: string,
  seed: Uint8Array,
  length: number,
): Buffer {
  const labelled = Buffer.concat([Buffer.from(label, 'latin1'), seed]);
  const blocks: Buffer[] = [];
  let made = 0;
  for (let chained = labelled; made < length;) {
    chained = createHmac(hash, secret).update(chained).digest();
    const block = createHmac(hash, secret).update(chained).update(labelled).digest();
    blocks.push(block);
    made += block.length;
  }
  return Buffer.concat(blocks).subarray(0, length);
}
