import type { EngineKind } from '#shared/helper/protocol.ts';
import type { Gateway } from '#shared/tunnel/state.ts';
import type { Log } from '../log.ts';
import type { LaunchEngine, LaunchHolding } from './engine-port.ts';

/** The option `--engine`. `automatic`: our own, and openconnect where that cannot be used. */
export const engineSettings = ['automatic', 'own', 'openconnect'] as const;
export type EngineSetting = (typeof engineSettings)[number];

/** Which engine carries a tunnel is decided here, and nowhere else. */
export interface EngineChoice {
  /** Finds out which engines can be used on this machine: the usual one first, none if there is none. */
  look(): Promise<readonly EngineKind[]>;
  /** What `look` last found. */
  readonly found: readonly EngineKind[];
  /** The one for this gateway, and a proxy before it. Throws if `look` has found none. */
  choose(gateway: Gateway, hasProxy?: boolean): ChosenEngine;
  /** This engine cannot be used with this gateway; returns whether `choose` has another one now. */
  exclude(engine: EngineKind, gateway: Gateway): boolean;
}

export interface ChosenEngine {
  kind: EngineKind;
  launch: LaunchEngine;
  /** Undefined: it cannot be connected before it has a session. */
  launchHolding: LaunchHolding | undefined;
}

/** openconnect would have the proxy's password in its command line. */
export const canUseProxy = (engine: EngineKind): boolean => engine === 'own';

/** Of more gateways than this, the oldest are forgotten, and our own engine is tried with them again. */
const maxRemembered = 64;

export function createEngineChoice(options: {
  setting: EngineSetting;
  launch: Readonly<Record<EngineKind, LaunchEngine>>;
  launchHolding?: Partial<Readonly<Record<EngineKind, LaunchHolding>>>;
  isAvailable(engine: EngineKind): Promise<boolean>;
  log: Log;
}): EngineChoice {
  const { setting, launch, launchHolding = {}, log } = options;
  const order: readonly EngineKind[] = setting === 'automatic' ? ['own', 'openconnect'] : [setting];
  let found: readonly EngineKind[] = [];
  /** For each gateway, the engine that does not fit it. */
  const excluded = new Map<string, EngineKind>();
  const fits = (engine: EngineKind, gateway: Gateway) => excluded.get(nameOf(gateway)) !== engine;

  function why(kind: EngineKind): string {
    if (setting !== 'automatic') return 'the setting';
    if (kind === order[0]) return 'the usual one';
    return found.includes('own') ? 'our own cannot be used with this gateway' : 'our own is not installed';
  }

  return {
    async look() {
      const available = await Promise.all(order.map((engine) => options.isAvailable(engine)));
      found = order.filter((_, index) => available[index]);
      return found;
    },
    get found() {
      return found;
    },
    choose(gateway, hasProxy = false) {
      const usable = found.filter((engine) => canUseProxy(engine) || !hasProxy);
      const kind = usable.find((engine) => fits(engine, gateway)) ?? usable[0];
      if (kind === undefined) throw new Error('there is no engine');
      log.info('the engine is chosen', { engine: kind, why: why(kind) });
      return { kind, launch: launch[kind], launchHolding: launchHolding[kind] };
    },
    exclude(engine, gateway) {
      const others = found.filter((other) => other !== engine && fits(other, gateway));
      if (others.length === 0) return false;
      const [oldest] = excluded.keys();
      if (excluded.size >= maxRemembered && oldest !== undefined) excluded.delete(oldest);
      excluded.set(nameOf(gateway), engine);
      return true;
    },
  };
}

const nameOf = ({ host, port }: Gateway) => `${host} ${port}`;
