import { networkInterfaces } from 'node:os';

/** An address of this machine's that others can reach, too: no proxy can be used by one of loopback. */
export function ownAddress(): string {
  const own = Object.values(networkInterfaces())
    .flat()
    .find((one) => one?.family === 'IPv4' && !one.internal)?.address;
  if (own === undefined) throw new Error('this machine has no address besides loopback');
  return own;
}
