import { z } from 'zod/mini';

const name = z
  .string()
  .check(z.regex(/^[a-z_][a-z0-9_-]{0,31}$/, 'not a name of an account or a control group'));

const schema = z.object({
  /** The unprivileged user that the engine runs as. */
  'engine-user': name,
  /** The unprivileged user that the proxy runs as; a different one, because their packets are routed differently. */
  'proxy-user': name,
  /** The name of the helper's own control group. */
  'control-group': name,
});
export type LinuxOptions = z.output<typeof schema>;

/** Options of the command line that only Linux has. */
export const linuxOptions = {
  schema,
  defaults: {
    'engine-user': 'waymaker-engine',
    'proxy-user': 'waymaker-proxy',
    'control-group': 'waymaker',
  } satisfies LinuxOptions,
};
