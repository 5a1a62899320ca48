import type { Lab } from '../lab.ts';
import { words } from '../runs/process.ts';

/** The internet's end of the wire to the user's machine: that of its router, and of a neighbour. */
const ownEnd = 'user0';

/** Sends what the internet's machine has for an address over the wire to the user's machine, until disposed. */
export async function routeToUser({ internet }: Lab, address: string): Promise<AsyncDisposable> {
  await internet.run(words(`ip route replace ${address} dev ${ownEnd}`));
  return {
    async [Symbol.asyncDispose]() {
      await internet.run(words(`ip route del ${address} dev ${ownEnd}`));
    },
  };
}

/**
 * Whether the user's machine says which hardware address an address has, to a neighbour who has forgotten it and asks:
 * by ARP (RFC 826) or neighbour discovery (RFC 4861). `asker`: that of its own addresses which it asks from.
 */
export async function isHardwareTold(lab: Lab, address: string, asker = ownEnd): Promise<boolean> {
  const { internet } = lab;
  await using _route = await routeToUser(lab, address);
  await internet.run(words(`ip neigh flush to ${address} dev ${ownEnd}`));
  await internet.exec(words(`ping -c 1 -W 1 -I ${asker} ${address}`));
  return (await internet.run(words(`ip neigh show to ${address} dev ${ownEnd}`))).includes('lladdr');
}
