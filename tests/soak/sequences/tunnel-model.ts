import type { Deadline } from '#shared/helper/protocol.ts';
import type { Routing, TunnelState } from '#shared/tunnel/state.ts';
import { addresses, names, type AddressPair } from '../../lab/network/addresses.ts';
import { isCaptured, type Host } from '../../helper/support/is-captured.ts';
import type { Place } from '../../helper/support/deaths/places.ts';

/**
 * What the helper is to be like, as far as a user could say: what they asked for, and what the world lets them have.
 */
export interface Model {
  /** What was asked for last, and has not been ended by the user. */
  connection: Connection | undefined;
  isLinkUp: boolean;
  isGatewayReachable: boolean;
  /** Whether the gateway gives its clients IPv6 addresses. */
  hasGatewayIpv6: boolean;
  /** How far the machine's clock has been set from the true time, in milliseconds. */
  clockOffsetMs: number;
}

export interface Connection {
  routing: Routing;
  killSwitch: boolean;
  /** The uid of who has made it. */
  owner: number;
  isGivenUp: boolean;
  /** How far the clock may be set forward from what it was when it was made. Forgotten with the helper. */
  deadline: { clockOffsetMs: number; reason: Deadline['reason'] } | undefined;
}

/** Users of the machine who may use the helper (Debian policy §9.2.2: no accounts have these numbers). */
export const users = [64_951, 64_952] as const;

export const initialModel = (): Model => ({
  connection: undefined,
  isLinkUp: true,
  isGatewayReachable: true,
  hasGatewayIpv6: true,
  clockOffsetMs: 0,
});

export const hasConnection = ({ connection }: Model): boolean =>
  connection !== undefined && !connection.isGivenUp;
export const isReachable = ({ isLinkUp, isGatewayReachable }: Model): boolean =>
  isLinkUp && isGatewayReachable;

/** Whether the tunnel is to be up once everything has come to rest. */
export const isTunnelUp = (model: Model): boolean => hasConnection(model) && isReachable(model);

/** What becomes of a connection that is ended for a reason. */
export function giveUp(model: Model): void {
  if (model.connection?.killSwitch) model.connection.isGivenUp = true;
  else model.connection = undefined;
}

export type Way = 'tunnel' | 'direct' | 'nowhere';
const { echo, direct } = addresses;

/** Whether packets to a host may not leave outside the tunnel. */
export function belongsInTunnel({ connection }: Model, host: Host, place: Place): boolean {
  if (!connection) return false;
  const isInForce = !connection.isGivenUp || connection.killSwitch;
  const inGroup = place === 'group' && connection.owner === users[0];
  return isInForce && isCaptured(connection.routing, host, inGroup);
}

/** Whether the tunnel carries packets of an IP version. */
export const isCarried = (model: Model, family: keyof AddressPair): boolean =>
  isTunnelUp(model) && (family === 'ipv4' || model.hasGatewayIpv6);

/** Which way a host is to be reached. */
export function wayTo(model: Model, host: Host, place: Place, family: keyof AddressPair): Way {
  if (!belongsInTunnel(model, host, place)) return model.isLinkUp ? 'direct' : 'nowhere';
  return isCarried(model, family) ? 'tunnel' : 'nowhere';
}

/** Whether a state that was told is true. */
export function isTrue(model: Model, state: TunnelState | undefined): boolean {
  const { connection } = model;
  if (state === undefined) return false;
  if (connection === undefined) return state.state === 'disconnected' && state.blocked !== true;
  if (connection.isGivenUp)
    return state.state === 'disconnected' && (state.blocked === true) === connection.killSwitch;
  if (!isTunnelUp(model)) {
    // Without a way to the gateway the engine goes on trying for a while.
    const isSilent = state.state === 'connected' && state.problems?.includes('nothing-passes') === true;
    return state.state === 'connecting' || (isSilent && model.isLinkUp);
  }
  return (
    state.state === 'connected' &&
    state.routing.mode === connection.routing.mode &&
    (state.addresses.ipv6 !== undefined) === model.hasGatewayIpv6 &&
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
    { mode: 'pac', routeDomains: [names.echo], blockedDomains: [names.direct] },
    ...[false, true].flatMap((localNetwork): Routing[] => [
      { mode: 'ip', policy: 'include', routeIps: prefixes(echo), localNetwork },
      { mode: 'ip', policy: 'include', routeIps: prefixes(echo, direct), localNetwork },
      { mode: 'ip', policy: 'exclude', routeIps: prefixes(direct), localNetwork },
      { mode: 'ip', policy: 'exclude', routeIps: prefixes(echo), localNetwork },
      { mode: 'app', policy: 'include', localNetwork },
      { mode: 'app', policy: 'exclude', localNetwork },
    ]),
  ];
  return all.filter(({ mode }) => capabilities.includes(`routing.${mode}`));
}
