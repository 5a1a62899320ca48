import { BlockList, isIPv4, isIPv6 } from 'node:net';
import { z } from 'zod';
import type { TunnelConfiguration } from '../tunnel/tunnel-configuration.ts';

/**
 * The environment of openconnect's script, whose variables are described at the head of vpnc-script. Its
 * values come from the network through an unprivileged process, so every one is checked before any use.
 */

/** Smallest MTU of IPv4 hosts (RFC 1122 §3.3.3) and of IPv6 links (RFC 8200 §5). */
const smallestMtu = { ipv4: 576, ipv6: 1280 } as const;
const largestMtu = 9000;
/** Used if the gateway names none: fits every access network with the overhead of DTLS over IPv6. */
const defaultMtu = 1280;

const maxServers = 6;
const maxSearchDomains = 6;

/** Addresses that cannot be a host's own: RFC 1122 §3.2.1.3, RFC 5771, RFC 4291 §2.4. */
// Two lists: one list takes an IPv4 address for its IPv4-mapped IPv6 form.
const neverAHost = new BlockList();
neverAHost.addSubnet('0.0.0.0', 8, 'ipv4');
neverAHost.addSubnet('127.0.0.0', 8, 'ipv4');
neverAHost.addSubnet('224.0.0.0', 3, 'ipv4');
const neverAHost6 = new BlockList();
neverAHost6.addAddress('::', 'ipv6');
neverAHost6.addAddress('::1', 'ipv6');
neverAHost6.addSubnet('::ffff:0:0', 96, 'ipv6');
neverAHost6.addSubnet('fe80::', 10, 'ipv6');
neverAHost6.addSubnet('ff00::', 8, 'ipv6');

const isHost4 = (text: string) => isIPv4(text) && !neverAHost.check(text, 'ipv4');
// A zone index ("%eth0") is legal for isIPv6, but names a device.
const isHost6 = (text: string) => isIPv6(text) && !text.includes('%') && !neverAHost6.check(text, 'ipv6');

const words = (limit: number) =>
  z
    .string()
    .transform((text) => text.split(/[\s,]+/).filter((word) => word !== ''))
    .pipe(z.array(z.string().max(253)).max(limit));

const servers = words(maxServers).pipe(z.array(z.string().refine((text) => isHost4(text) || isHost6(text))));

const domain = z.string().regex(/^(?=.{1,253}$)[A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9])?\.?$/);

const mtu = z
  .string()
  .regex(/^\d{1,5}$/)
  .transform(Number)
  .pipe(z.number().min(smallestMtu.ipv4).max(largestMtu));

const variables = z.object({
  INTERNAL_IP4_ADDRESS: z.string().refine(isHost4).optional(),
  INTERNAL_IP6_ADDRESS: z.string().refine(isHost6).optional(),
  /** Older engines give the IPv6 address only here, with its prefix length. */
  INTERNAL_IP6_NETMASK: z
    .string()
    .regex(/^[0-9A-Fa-f:.]+(?:\/(?:\d|[1-9]\d|1[01]\d|12[0-8]))?$/)
    .transform((text) => text.split('/')[0] ?? '')
    .refine(isHost6)
    .optional(),
  INTERNAL_IP4_MTU: mtu.optional(),
  /** Despite the names, openconnect puts the servers of both IP versions in the first one. */
  INTERNAL_IP4_DNS: servers.optional(),
  INTERNAL_IP6_DNS: servers.optional(),
  CISCO_DEF_DOMAIN: words(maxSearchDomains).pipe(z.array(domain)).optional(),
});

export type EnvironmentResult =
  | { ok: true; configuration: TunnelConfiguration }
  | { ok: false; problem: string };

/** The configuration that an engine asks for on `device`, or what is wrong with it. */
export function readScriptEnvironment(
  environment: ReadonlyMap<string, string>,
  device: string,
): EnvironmentResult {
  if (environment.get('TUNDEV') !== device) return { ok: false, problem: 'TUNDEV: not our device' };
  const present = [...environment].filter(([, value]) => value !== '');
  const parsed = variables.safeParse(Object.fromEntries(present));
  if (!parsed.success) return { ok: false, problem: z.prettifyError(parsed.error) };
  const given = parsed.data;
  const linkMtu = given.INTERNAL_IP4_MTU ?? defaultMtu;
  const ipv4 = given.INTERNAL_IP4_ADDRESS;
  // The kernel takes IPv6 off a link that is too narrow for it, so there it is blocked instead of tunnelled.
  const ipv6 =
    linkMtu >= smallestMtu.ipv6 ? (given.INTERNAL_IP6_ADDRESS ?? given.INTERNAL_IP6_NETMASK) : undefined;
  if (ipv4 === undefined && ipv6 === undefined) return { ok: false, problem: 'no address' };
  const reachable = [...(given.INTERNAL_IP4_DNS ?? []), ...(given.INTERNAL_IP6_DNS ?? [])].filter(
    (server) => (isIPv4(server) ? ipv4 : ipv6) !== undefined,
  );
  return {
    ok: true,
    configuration: {
      addresses: { ...(ipv4 === undefined ? {} : { ipv4 }), ...(ipv6 === undefined ? {} : { ipv6 }) },
      mtu: linkMtu,
      dns: { servers: [...new Set(reachable)], searchDomains: given.CISCO_DEF_DOMAIN ?? [] },
    },
  };
}
