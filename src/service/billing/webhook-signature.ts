import { createHmac, timingSafeEqual } from 'node:crypto';

/** The header of a signed webhook: `t=SECONDS,v1=HEX`, the HMAC-SHA-256 of `SECONDS.BODY`. */
export const signatureHeader = 'waymaker-signature';
/** A signature is good for so long before and after its time, so that nobody can send an old request again later. */
const windowSeconds = 300;
const field = /^(t|v1)=([0-9a-f]+)$/;

/** The value of `signatureHeader` for a request with this body, as its bytes are sent. */
export function signWebhook(secret: string, body: string | Buffer, at: Date): string {
  const seconds = Math.floor(at.getTime() / 1000);
  return `t=${seconds},v1=${macOf(secret, seconds, body).toString('hex')}`;
}

/** Whether a body was signed with the secret, and lately. Several `v1` are allowed, while secrets are exchanged. */
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
