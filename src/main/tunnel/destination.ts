import type { Server } from '#shared/entities.ts';
import type { ServerMark } from '#shared/plan/gateway-entitlement.ts';
import type { SignInPlace } from '#shared/plan/usable-group.ts';
import { parseServerAddress, serverAddress } from '#shared/tunnel/address.ts';
import type { Gateway } from '#shared/tunnel/state.ts';
import { isSameGateway } from '../gateway/authority.ts';
import type { GatewayMemory } from '../gateway/gateway-memory.ts';
import type { AccountPlan } from './account-plan.ts';

/** What the user wants a tunnel to: a listed server, or an address of which no more is known. */
export interface WantedServer {
  /** By which the service lists it. */
  serverId?: string | undefined;
  gateway: Gateway;
  /** Where the sign-in begins; undefined: where it last did. */
  path?: string | undefined;
}

/** As the service lists it. */
export type AddressedServer = Pick<Server, 'serverId' | 'protocol' | 'domain' | 'port' | 'path'>;

/** Undefined if it is not one that we support. */
export const wantedServer = (server: AddressedServer): WantedServer | undefined =>
  wantedAddress(serverAddress(server), server.serverId);

/** The same for an address that somebody has given; `serverId`: of the server that they mean. */
export function wantedAddress(address: string, serverId?: string): WantedServer | undefined {
  const place = parseServerAddress(address);
  return place && { ...place, serverId };
}

/** Where a tunnel leads, from the click to the helper: a server, as the service lists it. */
export interface Destination extends Readonly<Record<ServerMark, boolean>> {
  /** The gateway that is asked: the server's own, or the one that it redirected to. */
  gateway: Gateway;
  /**
   * The server's own, by which the user and the service know it; with its id, if that is known, and with the path, if
   * servers share it that differ in that.
   */
  listed: SignInPlace;
}

/** Where tunnels lead: the one that the user has asked for, and those that are found. */
export interface Destinations {
  /** Of a new run; known by its gateway from now on. */
  begin(wanted: WantedServer): void;
  /** The run goes on at this gateway, to which its own has redirected. */
  goOn(to: Destination): void;
  /** Where a tunnel with this gateway leads: the run's, or else, as of one that was there before, what is remembered. */
  at(gateway: Gateway): Destination;
  /** The same, to be connected to again. */
  wantedAt(gateway: Gateway): WantedServer;
}

export interface DestinationsOptions {
  memory: Pick<GatewayMemory, 'listed' | 'path'>;
  plan: Pick<AccountPlan, 'isMarked' | 'isSharedByPath'>;
}

export function createDestinations({ memory, plan }: DestinationsOptions): Destinations {
  let run: { wanted: WantedServer; gateway: Gateway } | undefined;

  /** What the service says of it may change while it is connected, so that is asked each time. */
  function destination(gateway: Gateway, { serverId, gateway: own, path: known }: WantedServer): Destination {
    const { host, port } = own;
    const path = known ?? memory.path(own);
    return {
      gateway: { host: gateway.host, port: gateway.port },
      listed: {
        host,
        port,
        ...(plan.isSharedByPath(own) && { path }),
        ...(serverId !== undefined && { serverId }),
      },
      split: plan.isMarked('split', own, path),
      incoming: plan.isMarked('incoming', own, path),
    };
  }

  function wantedAt(gateway: Gateway): WantedServer {
    const isRuns = run && [run.gateway, run.wanted.gateway].some((one) => isSameGateway(one, gateway));
    return isRuns && run ? run.wanted : { gateway: memory.listed(gateway) };
  }

  return {
    begin(wanted) {
      run = { wanted, gateway: wanted.gateway };
    },
    goOn({ gateway }) {
      if (run) run.gateway = gateway;
    },
    at: (gateway) => destination(gateway, wantedAt(gateway)),
    wantedAt,
  };
}
