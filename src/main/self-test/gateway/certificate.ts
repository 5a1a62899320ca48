import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** A certificate of a server, and its key, as PEM. */
export interface ServerCertificate {
  certificate: string;
  key: string;
}

/** Tags of DER (X.690 §8), and the object identifiers that are needed, as they are encoded. */
const tag = {
  boolean: 0x01,
  integer: 0x02,
  bits: 0x03,
  octets: 0x04,
  object: 0x06,
  text: 0x0c,
  utcTime: 0x17,
  sequence: 0x30,
  set: 0x31,
  explicit0: 0xa0,
  explicit3: 0xa3,
  dnsName: 0x82,
  ipAddress: 0x87,
} as const;
const objects = {
  /** RFC 5758 §3.2. */
  ecdsaWithSha256: '2a8648ce3d040302',
  commonName: '550403',
  subjectAltName: '551d11',
  basicConstraints: '551d13',
} as const;

/**
 * A certificate for a host, by its name or address, signed by itself, which whoever is given it can trust as an
 * authority (RFC 5280 §4.1). It is valid for a day around `now`, in milliseconds since 1970.
 */
export function makeCertificate(host: string, now: number): ServerCertificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const algorithm = der(tag.sequence, object(objects.ecdsaWithSha256));
  const name = der(
    tag.sequence,
    der(tag.set, der(tag.sequence, object(objects.commonName), der(tag.text, Buffer.from(host)))),
  );
  const day = 24 * 3_600_000;
  const serial = randomBytes(16);
  // A positive number, without a leading zero.
  serial[0] = ((serial[0] ?? 0) & 0x7f) | 0x40;
  const signed = der(
    tag.sequence,
    // Version 3.
    der(tag.explicit0, der(tag.integer, Buffer.from([2]))),
    der(tag.integer, serial),
    algorithm,
    name,
    der(tag.sequence, time(now - day), time(now + day)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(
      tag.explicit3,
      der(
        tag.sequence,
        extension(objects.subjectAltName, der(tag.sequence, alternativeName(host))),
        extension(objects.basicConstraints, der(tag.sequence, der(tag.boolean, Buffer.from([0xff])))),
      ),
    ),
  );
  const signature = sign('sha256', signed, privateKey);
  const whole = der(tag.sequence, signed, algorithm, der(tag.bits, Buffer.from([0]), signature));
  return {
    certificate: pem('CERTIFICATE', whole),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

/** RFC 5280 §4.2.1.6. */
const alternativeName = (host: string): Buffer =>
  isIP(host) === 0
    ? der(tag.dnsName, Buffer.from(host))
    : der(tag.ipAddress, Buffer.from(ipaddr.parse(host).toByteArray()));

function der(kind: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  if (length < 0x80) return Buffer.concat([Buffer.from([kind, length]), content]);
  const bytes = Buffer.from(length.toString(16).padStart(length > 0xff ? 4 : 2, '0'), 'hex');
  return Buffer.concat([Buffer.from([kind, 0x80 | bytes.length]), bytes, content]);
}

const object = (encoded: string) => der(tag.object, Buffer.from(encoded, 'hex'));
const extension = (name: string, value: Buffer) => der(tag.sequence, object(name), der(tag.octets, value));

/** UTCTime, which certificates have until 2049 (RFC 5280 §4.1.2.5). */
const time = (at: number) =>
  der(tag.utcTime, Buffer.from(`${new Date(at).toISOString().slice(2, 19).replaceAll(/[-T:]/g, '')}Z`));

const pem = (label: string, bytes: Buffer): string =>
  `-----BEGIN ${label}-----\n${(bytes.toString('base64').match(/.{1,64}/g) ?? []).join('\n')}\n-----END ${label}-----\n`;
