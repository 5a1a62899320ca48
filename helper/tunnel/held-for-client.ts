import { isDeepStrictEqual } from 'node:util';
import { maxHeldMs, type HoldRequest } from '#shared/helper/protocol.ts';
import type { GatewaySession } from '#shared/helper/gateway-session.ts';
import type { EngineChoice } from '../engine/engine-choice.ts';
import type { HoldingEngine, LaunchEngine } from '../engine/engine-port.ts';
import type { Log, LogFields } from '../log.ts';
import type { Connection, SystemAdapter } from '../system/system-adapter.ts';
import type { AttachedClients, Client } from './attached-clients.ts';
import { createHeldLimit } from './held-limit.ts';

/**
 * The connection to a gateway that is held ready before anybody wants a tunnel. Whoever asks for it may be hostile:
 * there is one for the whole machine, which ends with its client, and a user gets only so many.
 */
export interface HeldForClient {
  /** Replaces the same user's. `not-now`: it would need what is not open, or another user has one. */
  open(client: Client, request: HoldRequest): Promise<'held' | 'not-now' | 'too-many'>;
  /** Does nothing if this user has none. */
  drop(client: Client): Promise<void>;
  /**
   * Hands it over to a connection that begins. Where it does not lead there, it is dropped, and the result is
   * undefined.
   */
  take(connection: Connection): TakenConnection | undefined;
  /** Drops it, whoever has it. */
  close(): Promise<void>;
}

export interface TakenConnection {
  /**
   * The engine that has it, if that is of any use to this session, and to a connection that may be at these addresses;
   * it is dropped otherwise. Once.
   */
  launchFor(session: GatewaySession, addresses: readonly string[]): LaunchEngine | undefined;
  /** It is not needed. Does nothing once an engine was launched with it. */
  drop(): void;
}

interface Held {
  client: Client;
  request: HoldRequest;
  engine: HoldingEngine;
  /** Ends what would end it. */
  stopWatching: () => void;
  isGone: boolean;
}

export function createHeldForClient(options: {
  adapter: Pick<SystemAdapter, 'device' | 'ownEngine' | 'secretFile' | 'watchWay'>;
  engines: Pick<EngineChoice, 'choose' | 'found'>;
  clients: AttachedClients;
  /** Whether nothing has to be opened for it: traffic flows, or this client signs in where it leads. */
  isOpen: (client: Client, request: HoldRequest) => boolean;
  log: Log;
}): HeldForClient {
  const { adapter, engines, clients, isOpen } = options;
  const limit = createHeldLimit();
  let current: Held | undefined;
  /** Settles when the last one is closed: the gateway never has two. */
  let closed: Promise<void> = Promise.resolve();
  let latest = 0;

  /** It may be nobody's connection yet, so the lines say whom they are about. */
  function logOf({ user }: Client): Log {
    const { log } = options;
    const about = (fields: LogFields = {}) => ({ ...fields, user });
    return {
      info: (message, fields) => log.info(message, about(fields)),
      warn: (message, fields) => log.warn(message, about(fields)),
      error: (message, cause, fields) => log.error(message, cause, about(fields)),
    };
  }

  function close(): Promise<void> {
    const held = current;
    current = undefined;
    if (held) {
      held.stopWatching();
      closed = held.engine.stop();
    }
    return closed;
  }

  function start(client: Client, request: HoldRequest): boolean {
    const { gateway, address, otherAddresses = [], proxy, trust } = request;
    const log = logOf(client);
    const { launchHolding } = engines.choose(gateway, proxy !== undefined);
    if (!launchHolding) return false;
    const engine = launchHolding({
      gateway,
      address,
      otherAddresses,
      proxy,
      trust,
      device: adapter.device,
      ownProgram: () => adapter.ownEngine(),
      secretFile: (content) => adapter.secretFile(content),
      log,
    });
    const end = (why: string) => {
      if (current !== held) return;
      log.info('the connection that is held is dropped', { why });
      void close();
    };
    const timer = setTimeout(() => end('nobody needed it'), maxHeldMs);
    const stops = [
      () => clearTimeout(timer),
      clients.onChange(() => clients.has(client) || end('its client has gone')),
      adapter.watchWay(address, () => end('the way to the gateway has changed')),
    ];
    const held: Held = {
      client,
      request,
      engine,
      stopWatching: () => {
        for (const stop of stops.splice(0)) stop();
      },
      isGone: false,
    };
    current = held;
    void engine.gone.then(() => {
      held.isGone = true;
      held.stopWatching();
      if (current === held) current = undefined;
    });
    return true;
  }

  return {
    async open(client, request) {
      const isOthers = () => current !== undefined && current.client.user !== client.user;
      if (!isOpen(client, request) || isOthers() || engines.found.length === 0) return 'not-now';
      if (!limit.admits(client.user)) return 'too-many';
      latest += 1;
      const number = latest;
      await close();
      const isWanted = number === latest && clients.has(client) && isOpen(client, request) && !current;
      return isWanted && start(client, request) ? 'held' : 'not-now';
    },
    async drop(client) {
      if (current?.client.user !== client.user) return;
      // One that waits for the last one to be closed is not wanted either.
      latest += 1;
      await close();
    },
    take(connection) {
      const held = current;
      latest += 1;
      if (!held || !leadsTo(held, connection)) {
        void close();
        return undefined;
      }
      current = undefined;
      let isUsed = false;
      const drop = () => {
        if (isUsed) return;
        isUsed = true;
        held.stopWatching();
        closed = held.engine.stop();
      };
      return {
        launchFor(session, addresses) {
          const isOpenTo = held.request.otherAddresses?.every((address) => addresses.includes(address));
          if (isUsed || held.isGone || isOpenTo === false || !isFor(held, session)) {
            drop();
            return undefined;
          }
          isUsed = true;
          held.stopWatching();
          limit.used(held.client.user);
          return held.engine.carry;
        },
        drop,
      };
    },
    close,
  };
}

const leadsTo = ({ client, request }: Held, { gateway, address, proxy, owner }: Connection) =>
  client.user === owner &&
  request.address === address &&
  isDeepStrictEqual([request.gateway, request.proxy], [gateway, proxy]);

/** Whether a connection for this session would have been made in the same way. */
const isFor = ({ request: { trust } }: Held, session: GatewaySession) =>
  trust.certificatePin === session.certificatePin &&
  isDeepStrictEqual(
    [trust.clientCertificate, trust.proxyCredentials, trust.proxyIdentity],
    [session.clientCertificate, session.proxyCredentials, session.proxyIdentity],
  );
