import path from 'node:path';
import type { Machine } from '../machine/machine.ts';
import type { OddPacket } from './send-packet.ts';

/** Sends a packet from a machine; resolves with whether its kernel accepted it. */
export async function sendOddPacket(machine: Machine, packet: OddPacket): Promise<boolean> {
  const script = path.join(import.meta.dirname, 'send-packet.ts');
  return (await machine.run([process.execPath, script, JSON.stringify(packet)])).startsWith('sent');
}
