import type { Routing, TunnelState } from '#shared/tunnel/state.ts';
import { addresses, names } from '../../lab/addresses.ts';

/** What the helper is to be like, as far as a user could say: what they asked for, and what the world lets them have. */
export interface Model {
  /** What was asked for last, and has not been ended by the user. */
  connection: { routing: Routing; killSwitch: boolean; isGivenUp: boolean } | undefined;
  isLinkUp: boolean;
  isGatewayReachable: boolean;
}

export const initialModel = (): Model => ({
  connection: undefined,
  isLinkUp: true,
  isGatewayReachable: true,
});

/** Whether the tunnel is to be up once everything has come to rest. */
export const isTunnelUp = ({ connection, isLinkUp, isGatewayReachable }: Model): boolean =>
  connection !== undefined && !connection.isGivenUp && isLinkUp && isGatewayReachable;

/** The hosts that are asked who they see; each of both IP versions. */
export const hosts = ['echo', 'direct', 'neighbour'] as const;
export type Host = (typeof hosts)[number];
export type Way = 'tunnel' | 'direct' | 'nowhere';

const { echo, direct } = addresses;

/** Whether packets of a program that no mode knows of belong in the tunnel. */
export function isCaptured(routing: Routing, host: Host): boolean {
  switch (routing.mode) {
    case 'global':
      return !(host === 'neighbour' && routing.localNetwork);
    case 'pac':
      // What is sent to the proxy belongs there, and nothing is.
      return false;
    case 'ip': {
      if (host === 'neighbour' && routing.localNetwork) return false;
      const isListed = routing.routeIps.includes(`${addresses[host].ipv4}/32`);
      return isListed === (routing.policy === 'include');
    }
    case 'app':
      // It is in no group.
      return routing.policy === 'exclude' && !(host === 'neighbour' && routing.localNetwork);
    default:
      return routing satisfies never;
  }
}

/** Whether something captures packets at present, with or without a tunnel. */
const isInForce = (model: Model): boolean =>
  model.connection !== undefined && (!model.connection.isGivenUp || model.connection.killSwitch);

/** Whether packets to a host may not leave outside the tunnel. */
export const belongsInTunnel = (model: Model, host: Host): boolean =>
  model.connection !== undefined && isInForce(model) && isCaptured(model.connection.routing, host);

/** Which way a host is to be reached. */
export function wayTo(model: Model, host: Host): Way {
  if (!belongsInTunnel(model, host)) return model.isLinkUp ? 'direct' : 'nowhere';
  return isTunnelUp(model) ? 'tunnel' : 'nowhere';
}

/** Whether a state that was told is true. */
export function isTrue(model: Model, state: TunnelState | undefined): boolean {
  const { connection } = model;
  if (state === undefined) return false;
  if (connection === undefined) return state.state === 'disconnected' && state.blocked !== true;
  if (connection.isGivenUp)
    return state.state === 'disconnected' && (state.blocked === true) === connection.killSwitch;
  if (!isTunnelUp(model)) return state.state === 'connecting';
  return (
    state.state === 'connected' &&
    state.routing.mode === connection.routing.mode &&
    state.problems === undefined
  );
}

/** Of each mode some that differ in what they capture; a mode that the helper does not announce is left out. */
export function routingsOf(capabilities: readonly string[]): Routing[] {
  const prefixes = (...pairs: (typeof echo | typeof direct)[]) =>
    pairs.flatMap(({ ipv4, ipv6 }) => [`${ipv4}/32`, `${ipv6}/128`]);
  const all: Routing[] = [
    { mode: 'global', localNetwork: false },
    { mode: 'global', localNetwork: true },
    { mode: 'pac', routeDomains: [names.where], blockedDomains: [] },
    ...[false, true].flatMap((localNetwork): Routing[] => [
      { mode: 'ip', policy: 'include', routeIps: prefixes(echo), localNetwork },
      { mode: 'ip', policy: 'include', routeIps: prefixes(echo, direct), localNetwork },
      { mode: 'ip', policy: 'exclude', routeIps: prefixes(direct), localNetwork },
    ]),
    { mode: 'app', policy: 'include', localNetwork: false },
    { mode: 'app', policy: 'exclude', localNetwork: true },
  ];
  return all.filter(({ mode }) => capabilities.includes(`routing.${mode}`));
}
