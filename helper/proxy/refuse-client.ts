import type { Socket } from 'node:net';

/** How long a client may take to read the refusal and close. */
const lingerMs = 5000;

/**
 * Sends a client its last answer, and closes once it has closed too, or a moment later. What it still sends is
 * discarded: closing with unread bytes would send a reset, which can overtake the answer (RFC 9112 §9.6).
 */
export function refuseClient(client: Socket, answer: string | Uint8Array): void {
  const limit = setTimeout(() => void client.destroy(), lingerMs);
  client.once('close', () => clearTimeout(limit));
  client.end(answer);
  client.resume();
}
