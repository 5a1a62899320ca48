import { z } from 'zod/mini';

const schema = z.object({
  /** What has started the helper: the service control manager, or somebody who looks at it. */
  'run-as': z.enum(['service', 'program']),
});
export type WindowsOptions = z.output<typeof schema>;

/**
 * The name of a group, maybe with that of its domain before it: whatever has none of the characters that Windows keeps
 * out of them (Microsoft, “Naming conventions in Active Directory”).
 */
export const groupName = /^(?:[^"/\\[\]:;|=,+*?<>\p{Cc}]{1,256}\\)?[^"/\\[\]:;|=,+*?<>\p{Cc}]{1,256}$/u;

/** Options of the command line that only Windows has. */
export const windowsOptions = {
  schema,
  defaults: { 'run-as': 'program' } satisfies WindowsOptions,
};
