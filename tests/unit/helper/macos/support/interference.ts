import { resolversXml, services, type Machine } from '../../../../lab/darwin/model/machine.ts';

/** What other programs and administrators do to the helper's settings, all of which are put back. */
export const interferences: Record<string, (machine: Machine) => void> = {
  'the anchor is emptied (pfctl -F all)': (machine) => machine.anchors.clear(),
  'the packet filter is switched off (pfctl -d)': (machine) => {
    machine.isFilterOn = false;
    machine.tokens.clear();
  },
  'one of the rules is gone': (machine) => machine.anchors.get('com.apple/waymaker')?.rules.pop(),
  'all routes of the tunnel are gone (route flush)': (machine) => {
    machine.routes = machine.routes.filter(({ isOurs }) => !isOurs);
  },
  'one of the routes leads elsewhere': (machine) => {
    const [first] = machine.routes.filter(({ isOurs }) => isOurs);
    if (first) first.way = { kind: 'router', address: '192.168.1.1' };
  },
  'the device has another MTU': (machine) => {
    for (const one of machine.interfaces.values()) if (one.name.startsWith('utun')) one.mtu = 1_500;
  },
  'the device has lost an address': (machine) => {
    for (const one of machine.interfaces.values()) if (one.name.startsWith('utun')) one.addresses.shift();
  },
  'the device is down': (machine) => {
    for (const one of machine.interfaces.values()) if (one.name.startsWith('utun')) one.isUp = false;
  },
};

/** A new lease, which the helper notices by its watch of the resolvers. */
export const newLease = (machine: Machine) =>
  machine.store.set(services.state, resolversXml(['192.168.1.254']));
