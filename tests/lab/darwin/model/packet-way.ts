import { parsePrefix } from '#shared/tunnel/prefix.ts';
import type { NetworkInterface } from '../../../../helper/macos/calls/interface-calls.ts';
import type { Route } from '../../../../helper/macos/calls/route-message.ts';
import { decide, type Anchor, type FilterRule, type Packet } from './filter-language.ts';
import { anchorRule, type Machine } from './machine.ts';

/** Where a packet of this machine goes: out by a device, or nowhere. */
export type Outcome = { by: string } | 'refused';

/** A packet, and how the socket of its program is bound. */
export interface Probe extends Packet {
  boundTo?: string;
}

const bitsKnown = new Map<string, string>();
/** The version and the bits of a prefix as text: one is in another if it begins with it. */
function bitsOf(text: string): string {
  const found = bitsKnown.get(text);
  if (found !== undefined) return found;
  const prefix = parsePrefix(text);
  if (!prefix) throw new Error(`not a prefix: ${text}`);
  const all = prefix.first.toString(2).padStart(prefix.family === 4 ? 32 : 128, '0');
  const bits = `${prefix.family} ${all.slice(0, prefix.length)}`;
  bitsKnown.set(text, bits);
  return bits;
}

/** Where packets go, by the machine's routing table and its packet filter. */
export function createPacketWay(machine: Machine): (probe: Probe) => Outcome {
  /** Looked up since the table has changed. */
  const ways = new Map<string, Route | undefined>();
  let lookedUpIn: readonly Route[] = [];
  let lookedUpAt = 0;

  /**
   * A socket that is bound to an interface, or to the address of one, only uses routes of that; others use those
   * without a scope (XNU, bsd/netinet/in_pcb.c and in_rmx.c).
   */
  function routeFor({ source, destination, boundTo }: Probe): Route | undefined {
    const bound = [...machine.interfaces.values()].find(({ name }) => name === boundTo);
    const owner = [...machine.interfaces.values()].find(
      ({ addresses, name }) =>
        name.startsWith('utun') && addresses.some((one) => one.split('/')[0] === source),
    );
    const scope = bound ?? owner;
    if (lookedUpIn !== machine.routes || lookedUpAt !== machine.routes.length) {
      ways.clear();
      lookedUpIn = machine.routes;
      lookedUpAt = machine.routes.length;
    }
    const key = `${destination} ${scope?.index ?? ''}`;
    if (!ways.has(key)) ways.set(key, longestMatch(destination, scope));
    return ways.get(key);
  }

  function longestMatch(destination: string, scope: NetworkInterface | undefined): Route | undefined {
    const target = bitsOf(destination);
    let best: Route | undefined;
    let longest = '';
    for (const one of machine.routes) {
      if (scope ? one.interface !== scope.index : one.scope !== undefined) continue;
      const bits = bitsOf(one.prefix);
      if (bits.length <= longest.length || !target.startsWith(bits)) continue;
      best = one;
      longest = bits;
    }
    return best;
  }

  /** What an anchor's rules say of a packet, which is asked again and again. */
  const decisions = new WeakMap<Anchor, Map<string, FilterRule | undefined>>();
  function decided(anchor: Anchor, probe: Probe, device: string): FilterRule | undefined {
    const answers = decisions.get(anchor) ?? new Map<string, FilterRule | undefined>();
    decisions.set(anchor, answers);
    const { source, destination, user, protocol, sourcePort, destinationPort, isAnswer } = probe;
    const key = [source, destination, user, protocol, sourcePort, destinationPort, isAnswer, device].join(
      ' ',
    );
    if (!answers.has(key)) answers.set(key, decide(anchor, probe, 'out', device));
    return answers.get(key);
  }

  /** The kernel asks the anchors by their names, until a rule is meant to end that. */
  function ruleFor(probe: Probe, device: string): FilterRule | undefined {
    const names = [...machine.anchors.keys()].filter((name) => name.startsWith('com.apple/')).sort();
    let last: FilterRule | undefined;
    for (const name of names) {
      const anchor = machine.anchors.get(name);
      const rule = anchor && decided(anchor, probe, device);
      if (rule?.isQuick) return rule;
      last = rule ?? last;
    }
    return last;
  }

  function isLetOut(probe: Probe, device: string): boolean {
    const { source, destination } = probe;
    if (!machine.isFilterOn) return true;
    const known = machine.states.some(
      (state) =>
        state.source === source &&
        state.destination === destination &&
        state.user === probe.user &&
        (state.device === undefined || state.device === device),
    );
    if (known) return true;
    const rule = machine.mainRules.includes(anchorRule) ? ruleFor(probe, device) : undefined;
    if (!rule) return true;
    if (rule.action !== 'pass') return false;
    if (rule.state !== 'none')
      machine.states.push({
        source,
        destination,
        user: probe.user,
        device: rule.state === 'device' ? device : undefined,
      });
    return true;
  }

  return (probe) => {
    const found = routeFor(probe);
    if (!found || found.way.kind === 'refused') return 'refused';
    const device = machine.interfaces.get(found.interface);
    if (!device?.isUp) return 'refused';
    return isLetOut(probe, device.name) ? { by: device.name } : 'refused';
  };
}
