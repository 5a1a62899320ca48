import type { Routing } from '#shared/tunnel/state.ts';

const modes = ['global', 'pac'] as const satisfies readonly Routing['mode'][];

/** The modes to offer: those of the helper, or all of them until a helper has said what it can do. */
export const offeredModes = (capabilities: readonly string[] | undefined): Routing['mode'][] =>
  modes.filter((mode) => capabilities?.includes(`routing.${mode}`) ?? true);
