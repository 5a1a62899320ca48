import type { Routing } from '#shared/tunnel/state.ts';

const modes = ['global', 'pac'] as const satisfies readonly Routing['mode'][];

/** The modes to offer: what the helper has; or any, as long as no helper has said so. */
export const offeredModes = (capabilities: readonly string[] | undefined): Routing['mode'][] =>
  modes.filter((mode) => capabilities?.includes(`routing.${mode}`) ?? true);
