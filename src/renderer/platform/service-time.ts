import { createStore } from 'zustand/vanilla';
import type { Host } from '#shared/host/contract.ts';

/** What has to be added to this device's time to get the service's, in milliseconds. */
export const serviceOffset = createStore<number>(() => 0);

/** Follows what the host measures; settles once that is known. */
export async function followServiceTime({ clock }: Pick<Host, 'clock'>): Promise<void> {
  let isTold = false;
  clock.changed((offset) => {
    isTold = true;
    serviceOffset.setState(offset, true);
  });
  const offset = await clock.offset().catch(() => 0);
  if (!isTold) serviceOffset.setState(offset, true);
}
