import * as z from 'zod/mini';
import { maxOtherAddresses, proxyAtAddress } from '#shared/helper/protocol.ts';
import { clientCertificate, gatewaySession, type ClientCertificate } from '#shared/helper/gateway-session.ts';
import { maxGoodbyeChars } from '#shared/tunnel/state.ts';
import { maxPushedRoutes } from '../../../network/tunnel-configuration.ts';

/**
 * Between the helper, as root, and the engine's process: JSON-RPC on a socket that the process inherits. The engine
 * reads bytes from the network, so the helper believes none of these messages before it has read it by its schema.
 */

/**
 * The descriptors that the process inherits; `identity` is sealed memory with a client certificate, if there is one.
 */
export const descriptors = { control: 3, device: 4, identity: 5 } as const;

/** Where the gateway is: at one of these addresses, or behind the proxy that is there, best first. */
const place = {
  host: z.string(),
  addresses: z.array(z.string()).check(z.minLength(1), z.maxLength(1 + maxOtherAddresses)),
  port: z.int(),
  proxy: z.optional(proxyAtAddress),
  hasClientCertificate: z.boolean(),
};

/**
 * What the helper sends: `hold` at most once, before anything else, for a connection that waits for its use; `start`
 * once, when the device is there; and `stop`.
 */
export const holdParams = z.object({
  ...place,
  trust: z.omit(gatewaySession, { cookie: true, clientCertificate: true }),
});
export type HoldParams = z.infer<typeof holdParams>;

export const startParams = z.object({
  ...place,
  session: z.omit(gatewaySession, { clientCertificate: true }),
  packetHeader: z.enum(['virtio', 'family', 'length']),
  /** As in `EngineOptions`. */
  mtu: z.optional(z.int()),
  linkMtu: z.optional(z.int()),
  roundTripMs: z.number(),
  wantsPushedRoutes: z.boolean(),
});
export type StartParams = z.infer<typeof startParams>;

/** The client certificate that came beside the messages. */
export const identityIn = (text: string): ClientCertificate =>
  clientCertificate.parse(JSON.parse(text) as unknown);

const text = (max: number) => z.string().check(z.maxLength(max));
const prefixes = z.array(text(64)).check(z.maxLength(maxPushedRoutes));
const routesOfVersion = z.strictObject({ includes: prefixes, excludes: prefixes });

const given = z.strictObject({
  ipv4: z.optional(text(64)),
  ipv6: z.optional(text(64)),
  mtu: z.optional(text(16)),
  servers: z.array(text(64)).check(z.maxLength(16)),
  searchDomains: z.array(text(253)).check(z.maxLength(64)),
  routes: z.optional(
    z.union([z.literal('unreadable'), z.strictObject({ ipv4: routesOfVersion, ipv6: routesOfVersion })]),
  ),
});

const seconds = z.int().check(z.minimum(1), z.maximum(1_000_000_000));

/** What a gateway says at most, also where it says more. */
export const termsLimits = { message: 4_000, splitDns: 64, attributes: 16, value: 1_024 } as const;

const terms = z.strictObject({
  sessionSeconds: z.optional(seconds),
  idleSeconds: z.optional(seconds),
  message: z.optional(text(termsLimits.message)),
  splitDns: z.array(text(253)).check(z.maxLength(termsLimits.splitDns)),
  attributes: z
    .array(
      z.strictObject({
        name: z.string().check(z.regex(/^[A-Za-z][A-Za-z0-9._-]{0,63}$/)),
        value: text(termsLimits.value),
      }),
    )
    .check(z.maxLength(termsLimits.attributes)),
});

const transport = z.enum(['dtls', 'tls']);
const cause = z.enum([
  'gateway-refuses-connections',
  'gateway-without-route',
  'gateway-tls-failed',
  'gateway-tls-outdated',
  'gateway-renegotiation-unsafe',
  'proxy-refused',
  'proxy-credentials',
  'proxy-untrusted',
]);
const encryption = z.strictObject({
  protocol: z.string().check(z.regex(/^D?TLS \d\.\d$/)),
  cipher: z.string().check(z.regex(/^[A-Z][A-Z0-9-]{1,39}$/)),
});

/** What the engine sends. `configuration` is a request, whose answer says whether the system is configured so. */
export const engineMessages = {
  begun: z.strictObject({}),
  reached: z.strictObject({ address: text(64) }),
  unreachable: z.strictObject({ cause }),
  /** There is no connection any more that waits for its use, or it could not be made. */
  unheld: z.strictObject({}),
  encryption: z.strictObject({ transport, encryption }),
  transport: z.strictObject({ transport }),
  configuration: given,
  terms,
  note: z.strictObject({ text: text(300) }),
  ended: z.strictObject({
    end: z.enum([
      'unsuited',
      'gateway-unreachable',
      'certificate-refused',
      'session-refused',
      'session-doubted',
      'client-certificate-refused',
      'configuration-failed',
      'connection-lost',
      'failed',
    ]),
    /** The gateway's words, if it has ended or refused the tunnel with any. */
    goodbye: z.optional(text(maxGoodbyeChars)),
  }),
} as const;

/** The answer to `configuration`. */
export interface Configured {
  isApplied: boolean;
}

export type EngineMessageName = keyof typeof engineMessages;
export type EngineMessage<Name extends EngineMessageName> = z.infer<(typeof engineMessages)[Name]>;

/** The longest message of the engine, in bytes. */
export const maxMessageBytes = { withRoutes: 1024 * 1024, withoutRoutes: 64 * 1024 } as const;
