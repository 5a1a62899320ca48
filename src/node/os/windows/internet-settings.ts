import type { ReadRegistry } from './user-registry.ts';

/**
 * Where Windows has its proxy settings ("Internet options"), and where administrators do, of a user and of the machine.
 */
export const internetSettings = String.raw`Software\Microsoft\Windows\CurrentVersion\Internet Settings`;
export const internetPolicies = String.raw`Software\Policies\Microsoft\Windows\CurrentVersion\Internet Settings`;

export const scriptAddress = 'AutoConfigURL';

/**
 * The part of the registry whose proxy settings count. An administrator can make them those of the machine, and Windows
 * then looks at no user's ("Make proxy settings per-machine rather than per-user"; NetworkProxy CSP,
 * ProxySettingsPerUser).
 */
export const ofInternetSettings = (user: ReadRegistry, machine: ReadRegistry): ReadRegistry =>
  machine.number(internetPolicies, 'ProxySettingsPerUser') === 0 ? machine : user;

/** What an administrator has set comes first. */
export const internetText = (registry: ReadRegistry, name: string): string | undefined =>
  registry.text(internetPolicies, name) ?? registry.text(internetSettings, name);
