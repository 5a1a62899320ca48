import * as z from 'zod/mini';

/**
 * As what this client introduces itself to gateways. `compatible`: the name that newer Cisco gateways demand, which
 * ocserv before 1.2.4 takes for Cisco's own client; so it is only used where the other one is refused.
 */
export const gatewayAgent = z.enum(['open', 'compatible']);
export type GatewayAgent = z.infer<typeof gatewayAgent>;

/**
 * The versions of openconnect(8) whose conversation this client has, and that had these names: gateways adapt to them,
 * and ocserv takes all up to version 3 for clients of another protocol (worker-http.c).
 */
const versions: Readonly<Record<GatewayAgent, string>> = { open: 'v9.12', compatible: 'v9.20' };
const names: Readonly<Record<GatewayAgent, string>> = {
  open: 'Open AnyConnect VPN Agent',
  compatible: 'AnyConnect-compatible OpenConnect VPN Agent',
};

/** What the messages of the protocol say. */
export const agentVersion = (agent: GatewayAgent): string => versions[agent];

/** The header User-Agent. */
export const userAgent = (agent: GatewayAgent): string => `${names[agent]} ${versions[agent]} (Waymaker)`;

export const otherAgent = (agent: GatewayAgent): GatewayAgent => (agent === 'open' ? 'compatible' : 'open');
