/**
 * The addresses that anybody may use on networks of their own, and that nobody on the internet has: RFC 1918, RFC 6598
 * and RFC 4193. Of such an address, it is not known at which network it is.
 */
export const privateNetworks = [
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '100.64.0.0/10',
  'fc00::/7',
] as const;

/** The addresses that never leave a link (RFC 3927, RFC 4291 §2.5.6). */
const linkLocalNetworks = ['169.254.0.0/16', 'fe80::/10'] as const;

/**
 * What a network on a link can have without being somebody else's on the internet. Only such networks count as local by
 * themselves: anybody who answers DHCP or advertises a route could otherwise declare any network local, or all of them.
 */
export const localNetworks = [...privateNetworks, ...linkLocalNetworks] as const;
