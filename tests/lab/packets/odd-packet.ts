import type { Machine } from '../machine/machine.ts';
import { insideNetworkNamespace } from '../network/network-namespace.ts';
import { sendPacket, type OddPacket } from './send-packet.ts';

/** Sends a packet from a machine; resolves with whether its kernel accepted it. */
export async function sendOddPacket(machine: Machine, packet: OddPacket): Promise<boolean> {
  return insideNetworkNamespace(machine.namespace, () => sendPacket(packet));
}
