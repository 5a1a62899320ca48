import { setTimeout as delay } from 'node:timers/promises';
import { internetSettings, scriptAddress } from '#node/os/windows/internet-settings.ts';
import { createLoadedRegistries, type LoadedRegistries } from '#node/os/windows/user-registry.ts';
import { isOwnPac } from '../../proxy/pac-address.ts';

const pollMs = 100;
/** How long apps may take to put back what their users had, once the connection is over, in milliseconds. */
const appsMs = 5_000;

/**
 * Waits until no user's proxy settings point at a PAC file of ours any more, and removes what still does: an app that is
 * ended cannot put anything back. Only users who are logged in are known.
 */
export async function clearProxies(
  registries: LoadedRegistries = createLoadedRegistries(),
  waitMs = appsMs,
): Promise<void> {
  const left = () =>
    registries
      .users()
      .map((user) => registries.of(user))
      .filter((registry) => isOwnPac(registry.text(internetSettings, scriptAddress) ?? ''));
  const giveUpAt = performance.now() + waitMs;
  while (left().length > 0 && performance.now() < giveUpAt) await delay(pollMs);
  for (const registry of left()) registry.remove(internetSettings, scriptAddress);
}
