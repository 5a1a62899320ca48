import { createHmac, timingSafeEqual } from 'node:crypto';

/** The header of a signed webhook: `t=SECONDS,v1=HEX`, the HMAC-SHA-256 of `SECONDS.BODY`. */
export const signatureHeader = 'waymaker-signature';
/** A signature is valid for this long before and after its time, so that an old request cannot be replayed. */
const windowSeconds = 300;
const field = /^(t|v1)=([0-9a-f]+)$/;

/** The value of `signatureHeader` for a request with this body, exactly as it is sent. */
export function signWebhook(secret: string, body: string | Buffer, at: Date): string {
  const seconds = Math.floor(at.getTime() / 1000);
  return `t=${seconds},v1=${macOf(secret, seconds, body).toString('hex')}`;
}

/**
 * Whether a body was signed with the secret recently. Several `v1` are allowed, for the time while a secret is
 * replaced.
 */
export function isSignedWebhook(
  secret: string,
  { header, body, now }: { header: string; body: Buffer; now: Date },
): boolean {
  const fields = header.split(',').map((part) => field.exec(part.trim()) ?? []);
  const seconds = Number(fields.find(([, name]) => name === 't')?.[2]);
  if (!(Math.abs(now.getTime() / 1000 - seconds) <= windowSeconds)) return false;
  const expected = macOf(secret, seconds, body);
  return fields.some(([, name, value = '']) => {
    const given = Buffer.from(value, 'hex');
    return name === 'v1' && given.length === expected.length && timingSafeEqual(given, expected);
  });
}

function macOf(secret: string, seconds: number, body: string | Buffer): Buffer {
  return createHmac('sha256', secret).update(`${seconds}.`).update(body).digest();
}
