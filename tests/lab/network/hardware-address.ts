import type { Lab } from '../lab.ts';
import { words } from '../runs/process.ts';

/** The internet's end of the wire to the user's machine: that of its router, and of a neighbour. */
const ownEnd = 'user0';

/** Meanwhile, what the internet's machine has for an address goes over the wire to the user's machine. */
export async function routedToUser<Value>(
  { internet }: Lab,
  address: string,
  task: () => Promise<Value>,
): Promise<Value> {
  await internet.run(words(`ip route replace ${address} dev ${ownEnd}`));
  try {
    return await task();
  } finally {
    await internet.run(words(`ip route del ${address} dev ${ownEnd}`));
  }
}

/**
 * Whether the user's machine says which hardware address an address has, to a neighbour who has forgotten it and asks:
 * by ARP (RFC 826) or neighbour discovery (RFC 4861). `asker`: that of its own addresses which it asks from.
 */
export function isHardwareTold(lab: Lab, address: string, asker = ownEnd): Promise<boolean> {
  const { internet } = lab;
  return routedToUser(lab, address, async () => {
    await internet.run(words(`ip neigh flush to ${address} dev ${ownEnd}`));
    await internet.exec(words(`ping -c 1 -W 1 -I ${asker} ${address}`));
    return (await internet.run(words(`ip neigh show to ${address} dev ${ownEnd}`))).includes('lladdr');
  });
}
