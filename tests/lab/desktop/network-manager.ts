import { spawn, type ChildProcess } from 'node:child_process';
import { createClient, Variant } from 'dbus-native';
import { hasOwner, startMessageBus } from './message-bus.ts';
import { endProcess, eventually } from '../runs/process.ts';

const manager = 'org.freedesktop.NetworkManager';
const root = '/org/freedesktop/NetworkManager';
/** NM80211ApSecurityFlags of an access point with a password (WPA2). */
const passwordFlags = 0x188;

/** One of the computer's connections, as NetworkManager describes it. */
export interface Joined {
  /** nm-settings(5), e.g. `802-11-wireless` or `802-3-ethernet`. */
  type: string;
  /** For Wi-Fi, any bytes. */
  ssid?: Uint8Array;
  /** Whether its Wi-Fi has no password; false if absent. */
  isOpen?: boolean;
  /** Whether traffic uses it; true if absent. */
  isPrimary?: boolean;
}

/**
 * A separate message bus that replaces the system's, with python-dbusmock's NetworkManager, because Wi-Fi needs
 * hardware.
 */
export interface TestNetworkManager extends AsyncDisposable {
  /** The environment for programs that use it. */
  readonly env: { DBUS_SYSTEM_BUS_ADDRESS: string };
  /** From now on, the computer has exactly these connections. */
  join(...connections: Joined[]): Promise<void>;
  joinWifi(name: string | Uint8Array, options?: { isOpen?: boolean }): Promise<void>;
  /** Says so of the current network, as the user or the network itself has. */
  setMetered(isMetered: boolean): Promise<void>;
  /** Stops NetworkManager, and starts it without connections. */
  stop(): Promise<void>;
  start(): Promise<void>;
}

export async function startNetworkManager(directory: string): Promise<TestNetworkManager> {
  const bus = await startMessageBus(directory);
  const busAddress = bus.env.DBUS_SESSION_BUS_ADDRESS;
  const client = createClient({ busAddress });
  client.connection.on('error', () => undefined);
  let mock: ChildProcess | undefined;
  let joined = 0;
  let paths: string[] = [];

  async function start(): Promise<void> {
    // Debian's own Python, for which its modules are installed.
    mock = spawn('/usr/bin/python3', ['-m', 'dbusmock', '--system', '--template', 'networkmanager'], {
      env: { ...process.env, ...bus.env, DBUS_SYSTEM_BUS_ADDRESS: busAddress },
      stdio: 'ignore',
    });
    await eventually(
      'NetworkManager is on the bus',
      async () => (await hasOwner(bus.env, manager)) || undefined,
    );
    paths = [];
    // The template does not have it.
    const none = [manager, 'PrimaryConnection', new Variant('o', '/')];
    const unmetered = [manager, 'Metered', new Variant('u', 2)];
    await eventually('it has its objects', () =>
      call(root, 'AddProperty', 'ssv', none).then(
        () => true,
        () => undefined,
      ),
    );
    await call(root, 'AddProperty', 'ssv', unmetered);
  }

  const call = async (path: string, member: string, signature: string, body: unknown[]) => {
    const mocking = 'org.freedesktop.DBus.Mock';
    await client.invoke({ destination: manager, path, interface: mocking, member, signature, body });
  };

  /** Emits a change signal. */
  async function set(property: string, value: Variant): Promise<void> {
    await client.invoke({
      destination: manager,
      path: root,
      interface: 'org.freedesktop.DBus.Properties',
      member: 'Set',
      signature: 'ssv',
      body: [manager, property, value],
    });
  }

  async function add(
    path: string,
    interfaceName: string,
    properties: Record<string, unknown>,
  ): Promise<string> {
    await call(root, 'AddObject', 'ssa{sv}a(ssss)', [path, interfaceName, properties, []]);
    paths.push(path);
    return path;
  }

  async function addConnection({ type, ssid, isOpen = false, isPrimary = true }: Joined): Promise<string> {
    joined += 1;
    const security = new Variant('u', isOpen ? 0 : passwordFlags);
    const device = `${root}/Devices/${joined}`;
    if (ssid) {
      const accessPoint = await add(`${root}/AccessPoint/${joined}`, `${manager}.AccessPoint`, {
        Ssid: new Variant('ay', Buffer.from(ssid)),
        WpaFlags: new Variant('u', 0),
        RsnFlags: security,
      });
      await add(device, `${manager}.Device.Wireless`, { ActiveAccessPoint: new Variant('o', accessPoint) });
    }
    return await add(`${root}/ActiveConnection/${joined}`, `${manager}.Connection.Active`, {
      Type: new Variant('s', type),
      Uuid: new Variant('s', `uuid-${joined}`),
      State: new Variant('u', 2),
      Default: new Variant('b', isPrimary),
      Default6: new Variant('b', false),
      Devices: new Variant('ao', [device]),
      SpecificObject: new Variant('o', '/'),
    });
  }

  async function join(...connections: Joined[]): Promise<void> {
    const old = paths;
    paths = [];
    const active: string[] = [];
    let primary = '/';
    for (const connection of connections) {
      const path = await addConnection(connection);
      active.push(path);
      if (connection.isPrimary !== false && primary === '/') primary = path;
    }
    await set('ActiveConnections', new Variant('ao', active));
    await set('PrimaryConnection', new Variant('o', primary));
    for (const path of old) await call(root, 'RemoveObject', 's', [path]);
  }

  async function stop(): Promise<void> {
    if (mock) await endProcess(mock, 'SIGKILL');
    mock = undefined;
  }

  await start();
  return {
    env: { DBUS_SYSTEM_BUS_ADDRESS: busAddress },
    join,
    joinWifi: (name, options = {}) =>
      join({
        type: '802-11-wireless',
        ssid: typeof name === 'string' ? Buffer.from(name) : name,
        ...options,
      }),
    setMetered: (isMetered) => set('Metered', new Variant('u', isMetered ? 1 : 2)),
    start,
    stop,
    async [Symbol.asyncDispose]() {
      await client.close();
      await stop();
      await bus[Symbol.asyncDispose]();
    },
  };
}
