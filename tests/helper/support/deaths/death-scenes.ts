import type { IpPolicy, Routing } from '#shared/tunnel/state.ts';
import { addresses, names, type AddressPair } from '../../../lab/network/addresses.ts';

/** A connection as a user has asked for it. */
export interface Asked {
  routing: Routing;
  killSwitch: boolean;
  /** The server is marked as split, and its gateway names the echo, which counts in mode global. */
  split?: true;
}

/** Something that writes the journal, in which the helper may be killed. */
export type Scene =
  | { deed: 'connect'; to: Asked }
  | { deed: 'change'; from: Asked; to: Asked }
  /** While traffic is blocked after `from` was given up. */
  | { deed: 'connect again'; from: Asked; to: Asked }
  | { deed: 'disconnect' | 'give up' | 'recover'; from: Asked };

const { echo, direct, service } = addresses;
const list = (...pairs: AddressPair[]) => pairs.flatMap(({ ipv4, ipv6 }) => [`${ipv4}/32`, `${ipv6}/128`]);

const global: Routing = { mode: 'global', localNetwork: false };
const globalWithLocal: Routing = { mode: 'global', localNetwork: true };
const pac: Routing = { mode: 'pac', routeDomains: [names.where], blockedDomains: [] };
const otherPac: Routing = { mode: 'pac', routeDomains: [names.echo], blockedDomains: [names.where] };
const ip = (policy: IpPolicy, ...pairs: AddressPair[]): Routing => ({
  mode: 'ip',
  policy,
  routeIps: list(...pairs),
  localNetwork: false,
});
const onlyEcho = ip('include', echo);
const onlyBoth = ip('include', echo, direct);
const allButDirect = ip('exclude', direct);
const allButMore = ip('exclude', direct, service);
const onlyGroup: Routing = { mode: 'app', policy: 'include', localNetwork: false };
const allButGroup: Routing = { mode: 'app', policy: 'exclude', localNetwork: false };
const routings = [global, pac, onlyEcho, allButDirect, onlyGroup, allButGroup];

/** What a gateway pushes, its resolver included; only a server that is marked as split makes something of it. */
export const pushedOptions = [...list(echo), '198.51.100.64/26'].map((prefix) => `route = ${prefix}`);
/** What a connection captures of the hosts of scenes once its gateway has named its networks. */
export const effective = ({ split, ...asked }: Asked): Asked =>
  split && asked.routing.mode === 'global' ? { ...asked, routing: onlyEcho } : asked;

const switches = [true, false];
const everySwitch = (routing: Routing, more: Pick<Asked, 'split'> = {}) =>
  switches.map((killSwitch): Asked => ({ routing, killSwitch, ...more }));
const asked = routings.flatMap((routing) => everySwitch(routing));
const split = everySwitch(global, { split: true });
const splitWithLocal = everySwitch(globalWithLocal, { split: true });

const connect = (to: Asked): Scene => ({ deed: 'connect', to });
const ends = (from: Asked): Scene[] => [
  { deed: 'disconnect', from },
  { deed: 'recover', from },
  ...(from.killSwitch ? [{ deed: 'give up', from } as const] : []),
];

interface Pair {
  from: Routing;
  to: Routing;
}
const pairs = routings.flatMap((from) =>
  routings.filter((to) => to !== from).map((to): Pair => ({ from, to })),
);
/** Another list in the same mode. */
const lists = (
  [
    [pac, otherPac],
    [onlyEcho, onlyBoth],
    [allButDirect, allButMore],
  ] as const
).flatMap(([one, other]): Pair[] => [
  { from: one, to: other },
  { from: other, to: one },
]);

const change = (from: Asked, to: Asked): Scene => ({ deed: 'change', from, to });
const changes = ({ from, to }: Pair): Scene[] =>
  everySwitch(from).flatMap((before) =>
    everySwitch(to)
      // With the kill switch being switched, too, but not for each pair.
      .filter((after) => before.killSwitch === after.killSwitch || from === global || to === global)
      .map((after) => change(before, after)),
  );
/** Live changes at a server that is marked as split: between its own networks and another mode, and of each setting. */
const splitChanges = [
  ...split.flatMap((own) =>
    routings
      .filter((routing) => routing !== global)
      .flatMap((routing) => everySwitch(routing, { split: true }))
      .flatMap((other) => [change(own, other), change(other, own)]),
  ),
  ...split.map((from) => change(from, { ...from, killSwitch: !from.killSwitch })),
  ...split.flatMap((closed) =>
    splitWithLocal
      .filter(({ killSwitch }) => killSwitch === closed.killSwitch)
      .flatMap((open) => [change(closed, open), change(open, closed)]),
  ),
];
const again = ({ from, to }: Pair, more: Pick<Asked, 'split'> = {}): Scene => ({
  deed: 'connect again',
  from: { routing: from, killSwitch: true, ...more },
  to: { routing: to, killSwitch: true, ...more },
});
const splitAgain = pairs
  .concat({ from: global, to: global })
  .filter(({ from, to }) => from === global || to === global)
  .map((pair) => again(pair, { split: true }));

const ended = asked.flatMap(ends);
const endedBy = (deed: Scene['deed']) => ended.filter((scene) => scene.deed === deed);

/** By what they are about. */
export const sceneKinds: Readonly<Record<string, readonly Scene[]>> = {
  connect: asked.map(connect),
  disconnect: endedBy('disconnect'),
  'give up': endedBy('give up'),
  recover: endedBy('recover'),
  'change of the mode': pairs.flatMap(changes),
  'change of the list': lists.flatMap(changes),
  'change of the kill switch': asked.map((from) => change(from, { ...from, killSwitch: !from.killSwitch })),
  'connect again': [...pairs, ...routings.map((same) => ({ from: same, to: same })), ...lists].map((pair) =>
    again(pair),
  ),
  'split server': [...split.map(connect), ...split.flatMap(ends)],
  'change at a split server': splitChanges,
  'connect again at a split server': splitAgain,
};
export const scenes: readonly Scene[] = Object.values(sceneKinds).flat();

const otherLists = new Map([
  [otherPac, ', other list'],
  [onlyBoth, ', longer list'],
  [allButMore, ', longer list'],
  [globalWithLocal, ', local network'],
]);
const described = ({ routing, killSwitch, split: isSplit }: Asked) => {
  const mode = isSplit && routing.mode === 'global' ? 'split' : routing.mode;
  const policy = 'policy' in routing ? ` (${routing.policy})` : '';
  const server = isSplit && mode !== 'split' ? ' at a split server' : '';
  return `${mode}${policy}${server}${otherLists.get(routing) ?? ''}, kill switch ${killSwitch ? 'on' : 'off'}`;
};

export function describeScene(scene: Scene): string {
  const from = 'from' in scene ? [described(scene.from)] : [];
  const to = 'to' in scene ? [described(scene.to)] : [];
  return `${scene.deed}: ${[...from, ...to].join(' → ')}`;
}

/**
 * Until the gateway has named its networks, everything is captured: the connection is written once, and again with how
 * to undo what was found to be changed.
 */
function begun(to: Asked, written: number): Asked {
  const { split: _, ...everything } = to;
  return written <= 2 ? everything : effective(to);
}

/** What the journal says that there is once those moments have passed, and captures; undefined: nothing. */
export function journalled(scene: Scene, moments: readonly string[]): Asked | undefined {
  const written = moments.filter((moment) => moment === 'after journal is written').length;
  switch (scene.deed) {
    case 'connect':
      return written === 0 ? undefined : begun(scene.to, written);
    case 'connect again':
      return written === 0 ? effective(scene.from) : begun(scene.to, written);
    case 'change':
      return effective(written > 0 ? scene.to : scene.from);
    case 'disconnect':
    case 'recover':
      return moments.includes('after journal is removed') ? undefined : effective(scene.from);
    case 'give up':
      return effective(scene.from);
    default:
      return scene satisfies never;
  }
}
