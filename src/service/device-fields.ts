import { z } from 'zod';

/**
 * A device's id. It becomes a user name in gateways' password files and half of a Basic credential, so nothing
 * but a UUID is taken.
 */
export const deviceId = z.uuid();

const deviceNameMaxLength = 128;

/** A name to show: control and bidirectional characters out, white space joined, cut to length. */
function cleanName(name: string): string {
  const text = name
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return text.slice(0, deviceNameMaxLength).replace(/\p{Cs}$/u, '');
}

/** The fields that a call with `sendsDevice` carries besides its body. */
export const sendingDevice = z.object({
  deviceId,
  deviceName: z.string().transform(cleanName),
});
export type SendingDevice = z.output<typeof sendingDevice>;
