import type { Routing } from '#shared/tunnel/state.ts';
import { addresses, names } from '../../lab/addresses.ts';

/** A connection as a user has asked for it. */
export interface Asked {
  routing: Routing;
  killSwitch: boolean;
}

/** Something that writes the journal, in which the helper may be killed. */
export type Scene =
  | { deed: 'connect'; to: Asked }
  | { deed: 'change'; from: Asked; to: Asked }
  /** While traffic is blocked after `from` was given up. */
  | { deed: 'connect again'; from: Asked; to: Asked }
  | { deed: 'disconnect' | 'give up' | 'recover'; from: Asked };

const { echo, direct } = addresses;
const list = (host: typeof echo | typeof direct) => [`${host.ipv4}/32`, `${host.ipv6}/128`];

const global: Routing = { mode: 'global', localNetwork: false };
const pac: Routing = { mode: 'pac', routeDomains: [names.where], blockedDomains: [] };
const onlyEcho: Routing = { mode: 'ip', policy: 'include', routeIps: list(echo), localNetwork: false };
const allButDirect: Routing = { mode: 'ip', policy: 'exclude', routeIps: list(direct), localNetwork: false };
const onlyGroup: Routing = { mode: 'app', policy: 'include', localNetwork: false };
const allButGroup: Routing = { mode: 'app', policy: 'exclude', localNetwork: false };
const modes = [global, pac, onlyEcho, onlyGroup];
const routings = [...modes, allButDirect, allButGroup];

const switches = [true, false];
const asked = routings.flatMap((routing) => switches.map((killSwitch): Asked => ({ routing, killSwitch })));

const connects = asked.map((to): Scene => ({ deed: 'connect', to }));
const ends = asked.flatMap((from): Scene[] => [
  { deed: 'disconnect', from },
  { deed: 'recover', from },
  ...(from.killSwitch ? [{ deed: 'give up', from } as const] : []),
]);
const changes = modes.flatMap((from) =>
  modes
    .filter((to) => to !== from)
    .flatMap((to) =>
      switches.flatMap((before) =>
        switches
          // With the kill switch being switched, too, but not for each pair.
          .filter((after) => before === after || from === global || to === global)
          .map((after): Scene => {
            return {
              deed: 'change',
              from: { routing: from, killSwitch: before },
              to: { routing: to, killSwitch: after },
            };
          }),
      ),
    ),
);

const again = modes.flatMap((from) =>
  modes.map((to): Scene => {
    return {
      deed: 'connect again',
      from: { routing: from, killSwitch: true },
      to: { routing: to, killSwitch: true },
    };
  }),
);

export const scenes: readonly Scene[] = [...connects, ...ends, ...changes, ...again];

const described = ({ routing, killSwitch }: Asked) =>
  `${routing.mode}${'policy' in routing ? ` (${routing.policy})` : ''}, kill switch ${killSwitch ? 'on' : 'off'}`;

export function describeScene(scene: Scene): string {
  const from = 'from' in scene ? [described(scene.from)] : [];
  const to = 'to' in scene ? [described(scene.to)] : [];
  return `${scene.deed}: ${[...from, ...to].join(' → ')}`;
}

/** What the journal says that there is once those moments have passed; undefined: nothing. */
export function journalled(scene: Scene, moments: readonly string[]): Asked | undefined {
  switch (scene.deed) {
    case 'connect':
      return moments.includes('after journal is written') ? scene.to : undefined;
    case 'change':
    case 'connect again':
      return moments.includes('after journal is written') ? scene.to : scene.from;
    case 'disconnect':
    case 'recover':
      return moments.includes('after journal is removed') ? undefined : scene.from;
    case 'give up':
      return scene.from;
    default:
      return scene satisfies never;
  }
}
