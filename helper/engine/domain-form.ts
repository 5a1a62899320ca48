const domain =
  /^(?=.{1,253}$)[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?(?:\.[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?)*\.?$/;

/**
 * Whether a word that a gateway gave can be a domain: of labels, none of which is empty or has more than 63 characters
 * (RFC 1035 §2.3.4). With another one, systemd-resolved refuses all domains of a device.
 */
export const isDomain = (word: string): boolean => domain.test(word);
