import { isTrusted, type TrustRules } from '#shared/networks.ts';
import type { TunnelState } from '#shared/tunnel/state.ts';
import type { NetworkInUse } from './networks.ts';

/** The user's settings about networks that they do not trust. */
export interface UntrustedSettings extends TrustRules {
  connectOnUntrusted: boolean;
  /** Whether a tunnel that this rule started ends on a trusted network. */
  disconnectOnTrusted: boolean;
}

/** The situation when an event happens. */
export interface Situation {
  settings: UntrustedSettings;
  /** Undefined: the system does not say. */
  network: NetworkInUse | undefined;
  tunnel: TunnelState;
  /** Somebody is signed in, and there is a server to connect to. */
  canConnect: boolean;
  killSwitch: boolean;
  /** An automatic connection is in progress, or will be tried again after a pause. */
  isTrying: boolean;
}

export type RuleEvent =
  /** The user has connected or disconnected, in any part of the app. */
  { type: 'command'; command: 'connect' | 'disconnect' } | { type: 'changed' };

export interface RuleMemory {
  /** The id of the last network that the computer was on. */
  networkId: string | undefined;
  /**
   * Whether nothing more is started on this network. `tried`: until the network is left; `by-user`: the user has
   * disconnected, so until another network is joined.
   */
  settled: 'no' | 'tried' | 'by-user';
  /** The current tunnel, or the attempt, was started by this rule and not by a click. */
  isOurs: boolean;
}

/** `stop-trying`: an attempt in progress continues, but is not repeated if it fails. */
export type RuleAction = 'connect' | 'disconnect' | 'stop-trying';

export const noRuleMemory: RuleMemory = { networkId: undefined, settled: 'no', isOurs: false };

/**
 * Connects automatically on a network that is not trusted, once each time that the computer joins one. If the user
 * disconnects there, nothing happens until the next network. It never ends a tunnel that it did not start, or one whose
 * end would lift the kill switch, because only the user unblocks traffic then.
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
    // When it is switched on again, it starts from the beginning.
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
  // An attempt of "connect at start" continues, and does not belong to this rule.
  return { memory: { ...memory, settled: 'tried', isOurs: memory.isOurs || !isTrying }, does: 'connect' };
}
