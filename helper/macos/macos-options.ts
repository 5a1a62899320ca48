import { z } from 'zod/mini';

const name = z.string().check(z.regex(/^_?[a-z][a-z0-9_-]{0,30}$/, 'not a name of an account'));

const schema = z.object({
  /** The unprivileged user that the engine runs as. */
  'engine-user': name,
  /** The unprivileged user that the proxy runs as; a different one, because their packets are told apart by it. */
  'proxy-user': name,
  /** What the signature of a calling program has to satisfy (Code Signing Requirement Language); empty: nothing. */
  'code-requirement': z.string().check(z.maxLength(4_096)),
});
export type MacosOptions = z.output<typeof schema>;

/** Options of the command line that only macOS has; accounts of services begin with an underscore there. */
export const macosOptions = {
  schema,
  defaults: {
    'engine-user': '_waymaker-engine',
    'proxy-user': '_waymaker-proxy',
    'code-requirement': '',
  } satisfies MacosOptions,
};
