import { isDeepStrictEqual } from 'node:util';
import type { MessageBus } from 'dbus-native';
import type { Logger } from 'pino';
import { createListeners } from '../../listeners.ts';
import {
  activeInterface,
  managerName,
  managerPath,
  readNetwork,
  type GetProperties,
} from './read-network.ts';
import type { NetworkInUse, Networks } from '../networks.ts';

export interface NetworkManagerOptions {
  /** The address of the system's message bus. */
  busAddress: string;
  /** The pauses before connecting again to a bus that went away. */
  pausesMs?: readonly number[];
  log: Logger;
}

const callMs = 5000;
const maxMessageBytes = 1024 * 1024;
/**
 * A machine without a bus is not asked for longer. One that has gone is looked for as long as this runs, after the last
 * of these pauses each time: it normally lasts as long as the system, or is back within seconds.
 */
const usualPausesMs = [1000, 2000, 4000, 8000, 16_000, 32_000];
/** Objects may disappear while NetworkManager changes them; reading again gives a consistent result. */
const maxReads = 5;

/** D-Bus specification, message types and flags. */
const signalType = 4;
const noAutoStart = 2;

const propertiesInterface = 'org.freedesktop.DBus.Properties';
/** Excludes properties that change while a network stays the same, such as its signal strength. */
const rules = [
  `type='signal',sender='org.freedesktop.DBus',member='NameOwnerChanged',arg0='${managerName}'`,
  `type='signal',sender='${managerName}',interface='${propertiesInterface}',path='${managerPath}',arg0='${managerName}'`,
  `type='signal',sender='${managerName}',interface='${propertiesInterface}',path_namespace='${managerPath}/ActiveConnection',arg0='${activeInterface}'`,
];

/** The usual one is the default of the D-Bus specification ("System message bus"). */
export const systemBusAddress = (env: Readonly<NodeJS.ProcessEnv>): string =>
  env['DBUS_SYSTEM_BUS_ADDRESS'] ?? 'unix:path=/var/run/dbus/system_bus_socket';

/** The networks of a Linux desktop, as NetworkManager reports them over the system's message bus. */
export function createNetworkManager(options: NetworkManagerOptions): Networks {
  const { log } = options;
  const pauses = options.pausesMs ?? usualPausesMs;
  const listeners = createListeners<NetworkInUse | undefined>();
  let known: NetworkInUse | undefined;
  let first: Promise<void> | undefined;
  let bus: MessageBus | undefined;
  let pause: NodeJS.Timeout | undefined;
  let failures = 0;
  let wasThere = false;
  let isReported = false;
  let isClosed = false;

  function publish(now: NetworkInUse | undefined): void {
    if (isClosed || isDeepStrictEqual(now, known)) return;
    known = now;
    listeners.emit(now);
  }

  /**
   * Logs a failure once until it works again: it is retried again and again, and most machines without a bus never have
   * one.
   */
  function report(error: unknown): void {
    if (isReported) return;
    isReported = true;
    log.info({ err: error }, 'networks cannot be asked for');
  }

  async function connect(): Promise<void> {
    // Loaded only if somebody needs it.
    const { createClient } = await import('dbus-native');
    if (isClosed) return;
    const client = createClient({
      busAddress: options.busAddress,
      authMethods: ['EXTERNAL'],
      maxMessageSize: maxMessageBytes,
      timeout: callMs,
      // Otherwise it would send Hello itself, and without an answer throw an error that nobody can catch.
      direct: true,
    });
    bus = client;
    const update = createUpdates(client);
    client.connection.on('error', (error) => {
      report(error);
      client.connection.stream.destroy();
    });
    client.connection.on('message', ({ type }) => {
      if (type === signalType) void update();
    });
    client.connection.on('close', () => reconnect(client));
    await client.invokeDbus({ member: 'Hello' });
    await Promise.all(rules.map((rule) => client.addMatch(rule)));
    failures = 0;
    wasThere = true;
    isReported = false;
    await update();
  }

  /** Reads one after the other, and once more if something has changed meanwhile. */
  function createUpdates(client: MessageBus): () => Promise<void> {
    let running: Promise<void> | undefined;
    let isStale = false;
    async function run(): Promise<void> {
      let now: NetworkInUse | undefined;
      do {
        isStale = false;
        now = await read(client);
      } while (isStale);
      running = undefined;
      if (client === bus) publish(now);
    }
    return () => {
      isStale = true;
      running ??= run();
      return running;
    };
  }

  async function read(client: MessageBus): Promise<NetworkInUse | undefined> {
    // dbus-native does not return native promises.
    const getProperties: GetProperties = async (path, interfaceName) =>
      await client.invoke<unknown>({
        destination: managerName,
        path,
        interface: propertiesInterface,
        member: 'GetAll',
        signature: 's',
        body: [interfaceName],
        // Do not start NetworkManager if it is not running.
        flags: noAutoStart,
      });
    for (let reads = 1; ; reads += 1) {
      try {
        return await readNetwork(getProperties);
      } catch (error) {
        if (!isGone(error) || reads === maxReads) {
          log.info({ err: error }, 'NetworkManager does not say which network this is');
          return undefined;
        }
      }
    }
  }

  function reconnect(client: MessageBus): void {
    if (client !== bus || isClosed) return;
    bus = undefined;
    publish(undefined);
    const wait = pauses[failures] ?? (wasThere ? pauses.at(-1) : undefined);
    failures += 1;
    if (wait === undefined) return;
    pause = setTimeout(() => void begin(), wait).unref();
  }

  /** Never rejects: what could not be found out stays unknown. */
  async function begin(): Promise<void> {
    try {
      await connect();
    } catch (error) {
      report(error);
    }
  }

  return {
    async watch() {
      first ??= begin();
      await first;
      return known;
    },
    async isMetered() {
      // What tells of changes is asked for the current state, too.
      first ??= begin();
      await first;
      return known?.isMetered === true;
    },
    onChange: (listener) => listeners.add(listener),
    close() {
      isClosed = true;
      clearTimeout(pause);
      void bus?.close();
    },
  };
}

/** The object or interface no longer exists. */
const isGone = (error: unknown): boolean =>
  error instanceof Error &&
  'dbusName' in error &&
  ['UnknownObject', 'UnknownMethod', 'UnknownInterface'].some(
    (name) => error.dbusName === `org.freedesktop.DBus.Error.${name}`,
  );
