/**
 * DNS, DNS over TLS and QUIC (RFC 7858, RFC 9250), LLMNR (RFC 4795) and NetBIOS (RFC 1002 §4.2), which programs ask for
 * names that DNS does not know: look-ups never go to a local network. Multicast DNS (RFC 6762) does, since printers are
 * found by it, and only names in `.local` are asked by it.
 */
export const lookUpPorts = [53, 137, 853, 5355] as const;

/** Multicast that never leaves the attached networks (RFC 5771 §4, RFC 2365 §6.1, RFC 4291 §2.7). */
export const localMulticast = {
  4: ['224.0.0.0/24', '239.255.0.0/16', '255.255.255.255'],
  6: ['ff02::/16'],
} as const;
