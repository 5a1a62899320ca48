import { z } from 'zod';
import { cleanText } from './clean-text.ts';

/**
 * A device's id. It becomes a user name in gateways' password files and half of a Basic credential, so only a UUID is
 * accepted.
 */
export const deviceId = z.uuid();

const deviceNameMaxLength = 128;

/** The additional fields in the body of a call with `sendsDevice`. */
export const sendingDevice = z.object({
  deviceId,
  deviceName: z.string().transform((name) => cleanText(name, deviceNameMaxLength)),
});
export type SendingDevice = z.output<typeof sendingDevice>;
