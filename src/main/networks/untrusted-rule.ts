import { isTrusted, type TrustRules } from '#shared/networks.ts';
import type { TunnelState } from '#shared/tunnel/state.ts';
import type { NetworkInUse } from './networks.ts';

/** What the user has set of networks that they do not trust. */
export interface UntrustedSettings extends TrustRules {
  connectOnUntrusted: boolean;
  /** Whether a tunnel that this rule has had made ends on a network that is trusted. */
  disconnectOnTrusted: boolean;
}

/** What there is when something happens. */
export interface Situation {
  settings: UntrustedSettings;
  /** Undefined: the system does not say. */
  network: NetworkInUse | undefined;
  tunnel: TunnelState;
  /** Somebody is signed in, and there is a server to connect to. */
  canConnect: boolean;
  killSwitch: boolean;
  /** A connection that was begun without a click is made, or is tried again after a pause. */
  isTrying: boolean;
}

export type RuleEvent =
  /** The user has pressed something, wherever that is. */
  { type: 'command'; command: 'connect' | 'disconnect' } | { type: 'changed' };

export interface RuleMemory {
  /** The network that the computer was on last, by its id. */
  networkId: string | undefined;
  /**
   * Whether nothing more is begun on this network: it was tried, which is over once that network has been left, or the
   * user has disconnected, which counts until another one.
   */
  settled: 'no' | 'tried' | 'by-user';
  /** The tunnel that there is, or is tried, was begun by this rule and by no click. */
  isOurs: boolean;
}

/** `stop-trying`: a tunnel that is being made is made, and not tried again if that fails. */
export type RuleAction = 'connect' | 'disconnect' | 'stop-trying';

export const noRuleMemory: RuleMemory = { networkId: undefined, settled: 'no', isOurs: false };

/**
 * Connects by itself on a network that is not trusted, once for each time that the computer joins one; who
 * disconnects there is left alone until another one. It never ends a tunnel that it has not had made, nor one whose
 * end would lift the kill switch: only the user opens traffic then.
 */
export function nextStep(
  before: RuleMemory,
  event: RuleEvent,
  situation: Situation,
): { memory: RuleMemory; does?: RuleAction } {
  const { settings, network, tunnel, isTrying } = situation;
  const memory = heed(arrive(before, network), event, situation);
  if (!settings.connectOnUntrusted) {
    const stops = memory.isOurs && isTrying;
    // Switched on again, it begins again.
    return {
      memory: { ...noRuleMemory, networkId: memory.networkId },
      ...(stops && { does: 'stop-trying' as const }),
    };
  }
  const trusted = network && isTrusted(network.network, settings);
  if (trusted === false) return onUntrusted(memory, situation);
  if (trusted !== true || !memory.isOurs) return { memory };
  const isUp = tunnel.state === 'connecting' || tunnel.state === 'connected';
  if (isUp && settings.disconnectOnTrusted && !situation.killSwitch)
    return { memory: { ...memory, isOurs: false }, does: 'disconnect' };
  return isTrying ? { memory, does: 'stop-trying' } : { memory };
}

function arrive(memory: RuleMemory, now: NetworkInUse | undefined): RuleMemory {
  if (!now || now.id === memory.networkId) return memory;
  if (now.network.kind === 'none') return memory.settled === 'tried' ? { ...memory, settled: 'no' } : memory;
  return { ...memory, networkId: now.id, settled: 'no' };
}

function heed(memory: RuleMemory, event: RuleEvent, { tunnel, isTrying }: Situation): RuleMemory {
  if (event.type === 'command')
    return { ...memory, settled: event.command === 'disconnect' ? 'by-user' : 'tried', isOurs: false };
  const isOver = tunnel.state === 'disconnected' && !isTrying;
  return isOver ? { ...memory, isOurs: false } : memory;
}

function onUntrusted(
  memory: RuleMemory,
  { tunnel, canConnect, isTrying }: Situation,
): { memory: RuleMemory; does?: RuleAction } {
  const isIdle = tunnel.state === 'disconnected' && !tunnel.ownedByOther;
  if (memory.settled !== 'no' || !canConnect || !isIdle) return { memory };
  // What connecting at the start has begun goes on, and is not the rule's to end.
  return { memory: { ...memory, settled: 'tried', isOurs: memory.isOurs || !isTrying }, does: 'connect' };
}
