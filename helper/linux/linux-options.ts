import { z } from 'zod';

const name = z.string().regex(/^[a-z_][a-z0-9_-]{0,31}$/, 'not a name of an account or a control group');

/** Options of the command line that only Linux has. */
export const linuxOptions = z.object({
  /** The unprivileged user that the engine runs as. */
  'engine-user': name.default('waymaker-engine'),
  /** The unprivileged user that the proxy runs as; a different one, because their packets are routed differently. */
  'proxy-user': name.default('waymaker-proxy'),
  /** The name of the helper's own control group. */
  'control-group': name.default('waymaker'),
});
export type LinuxOptions = z.output<typeof linuxOptions>;
