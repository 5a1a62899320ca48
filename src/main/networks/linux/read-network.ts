import { z } from 'zod';
import type { CurrentNetwork } from '#shared/networks.ts';
import type { NetworkInUse } from '../networks.ts';

/** All properties of one interface of a NetworkManager object; rejects if it does not exist. */
export type GetProperties = (path: string, interfaceName: string) => Promise<unknown>;

/** https://networkmanager.dev/docs/api/latest/spec.html */
export const managerPath = '/org/freedesktop/NetworkManager';
export const managerName = 'org.freedesktop.NetworkManager';
export const activeInterface = `${managerName}.Connection.Active`;

const noObject = '/';
const objectPath = z.string().catch(noObject);
const managerProperties = z.object({
  PrimaryConnection: objectPath,
  ActiveConnections: z.array(z.string()).catch([]),
  Metered: z.int().catch(0),
});
const activeProperties = z.object({
  Type: z.string().catch(''),
  Uuid: z.string().catch(''),
  State: z.int().catch(0),
  Default: z.boolean().catch(false),
  Default6: z.boolean().catch(false),
  Devices: z.array(z.string()).catch([]),
  SpecificObject: objectPath,
});
const wirelessProperties = z.object({ ActiveAccessPoint: objectPath });
const accessPointProperties = z.object({
  Ssid: z.instanceof(Uint8Array).catch(new Uint8Array()),
  WpaFlags: z.int().catch(0),
  RsnFlags: z.int().catch(0),
});

/** NM_ACTIVE_CONNECTION_STATE_ACTIVATED */
const activated = 2;
/**
 * Flags of NM80211ApSecurityFlags that require proof of a shared key (PSK, SAE) or an account (802.1X, EAP Suite B).
 */
const provesMembership = 0x100 | 0x200 | 0x400 | 0x2000;
/** NM_METERED_YES, NM_METERED_GUESS_YES */
const metered = [1, 3];
/** More than anybody has at the same time. */
const maxConnections = 64;

/**
 * By connection type, which is the name of its main setting in nm-settings(5). Other types run on top of another
 * connection.
 */
const kinds: Readonly<Record<string, Exclude<CurrentNetwork['kind'], 'none'>>> = {
  '802-11-wireless': 'wifi',
  '802-3-ethernet': 'wired',
  bond: 'wired',
  bridge: 'wired',
  infiniband: 'wired',
  macvlan: 'wired',
  pppoe: 'wired',
  team: 'wired',
  veth: 'wired',
  vlan: 'wired',
  '802-11-olpc-mesh': 'other',
  adsl: 'other',
  bluetooth: 'other',
  cdma: 'other',
  gsm: 'other',
  'wifi-p2p': 'other',
  wimax: 'other',
  wpan: 'other',
};

type Active = z.output<typeof activeProperties> & { path: string };
type Physical = Active & { kind: Exclude<CurrentNetwork['kind'], 'none'> };

/** The network to which NetworkManager sends the computer's traffic, below any tunnels. */
export async function readNetwork(getProperties: GetProperties): Promise<NetworkInUse> {
  const manager = managerProperties.parse(await getProperties(managerPath, managerName));
  const paths = manager.ActiveConnections.slice(0, maxConnections);
  const all = await Promise.all(
    paths.map(async (path): Promise<Active> => {
      const properties = activeProperties.parse(await getProperties(path, activeInterface));
      return { ...properties, path };
    }),
  );
  const active = all.filter(({ State }) => State === activated);
  const chosen = choose(active, manager.PrimaryConnection);
  if (!chosen) return { network: { kind: 'none' }, id: '' };
  const limits = metered.includes(manager.Metered) ? ({ isMetered: true } as const) : {};
  if (chosen.kind !== 'wifi')
    return { network: { kind: chosen.kind }, id: `${chosen.kind} ${chosen.Uuid}`, ...limits };
  const network = await readWifi(chosen, getProperties);
  return { network, id: `wifi ${network.ssid} ${network.isProtected}`, ...limits };
}

function choose(active: readonly Active[], primary: string): Physical | undefined {
  const physical = active.flatMap((one) => {
    const kind = kinds[one.Type];
    return kind ? [{ ...one, kind }] : [];
  });
  const first = physical.find(({ path }) => path === primary) ?? physical.find((one) => isDefault(one));
  if (first) return first;
  // All traffic goes into a tunnel that NetworkManager knows; the tunnel itself uses a network, too.
  const isTunnelled = active.some((one) => one.path === primary || isDefault(one));
  return isTunnelled ? (physical.find(({ kind }) => kind === 'wifi') ?? physical[0]) : undefined;
}

const isDefault = ({ Default, Default6 }: Active) => Default || Default6;

async function readWifi(
  { Devices, SpecificObject }: Active,
  getProperties: GetProperties,
): Promise<Extract<CurrentNetwork, { kind: 'wifi' }>> {
  const [device = noObject] = Devices;
  const { ActiveAccessPoint } = wirelessProperties.parse(
    device === noObject ? {} : await getProperties(device, `${managerName}.Device.Wireless`),
  );
  const accessPoint = ActiveAccessPoint === noObject ? SpecificObject : ActiveAccessPoint;
  const { Ssid, WpaFlags, RsnFlags } = accessPointProperties.parse(
    accessPoint === noObject ? {} : await getProperties(accessPoint, `${managerName}.AccessPoint`),
  );
  const isName = Ssid.length > 0 && Ssid.length <= 32;
  return {
    kind: 'wifi',
    ...(isName && { ssid: Buffer.from(Ssid).toString('hex') }),
    isProtected: ((WpaFlags | RsnFlags) & provesMembership) !== 0,
  };
}
