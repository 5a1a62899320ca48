import { z } from 'zod/mini';

const schema = z.object({
  /** What has started the helper: the service control manager, or somebody who looks at it. */
  'run-as': z.enum(['service', 'program']),
});
export type WindowsOptions = z.output<typeof schema>;

/** Options of the command line that only Windows has. */
export const windowsOptions = {
  schema,
  defaults: { 'run-as': 'program' } satisfies WindowsOptions,
};
