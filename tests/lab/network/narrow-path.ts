import type { Machine } from '../machine/machine.ts';
import { words } from '../runs/process.ts';

/**
 * Drops packets of more than so many bytes on their way through `internet`, without a word to anybody, until disposed.
 * `which`: conditions of nft(8) for those that are concerned; all if absent.
 */
export async function narrowPath(
  { internet, ends }: { internet: Machine; ends: readonly Machine[] },
  bytes: number,
  which = '',
): Promise<AsyncDisposable> {
  // A link between namespaces carries what the kernel has joined, which a network card would cut before.
  const setSegments = async (count: number) => {
    for (const end of ends) await end.run(words(`ip link set uplink gso_max_segs ${count}`));
  };
  await setSegments(1);
  await internet.run(words('nft -f -'), {
    input: `table inet narrow {
      chain forward { type filter hook forward priority filter; ${which} meta length > ${bytes} drop; }
    }`,
  });
  return {
    async [Symbol.asyncDispose]() {
      await internet.run(words('nft delete table inet narrow'));
      await setSegments(usualSegments);
    },
  };
}

/** GSO_MAX_SEGS of <linux/netdevice.h>. */
const usualSegments = 65_535;
