import type { Guid } from '#node/os/windows/guid.ts';

/** What is ours on this machine has these names, so that it is found again whatever has happened to its journal. */

/** Who has added a filter. */
export const filterProvider: Guid = '2f1d8c0a-7c5e-4b61-9d0f-5a1e6f3c7b20';

/**
 * Sublayers of the filter. The system asks each of them, and what one refuses is refused: the first is for what holds
 * in every mode, and each of the others for one capture, of which there are more than one while a mode replaces
 * another.
 */
export const sublayers = [
  '2f1d8c0a-7c5e-4b61-9d0f-5a1e6f3c7b21',
  '2f1d8c0a-7c5e-4b61-9d0f-5a1e6f3c7b22',
  '2f1d8c0a-7c5e-4b61-9d0f-5a1e6f3c7b23',
  '2f1d8c0a-7c5e-4b61-9d0f-5a1e6f3c7b24',
  '2f1d8c0a-7c5e-4b61-9d0f-5a1e6f3c7b25',
] as const satisfies readonly Guid[];

/** The tunnel's adapter; with another one at each start, Windows would take each for a new network. */
export const tunnelAdapter: Guid = '2f1d8c0a-7c5e-4b61-9d0f-5a1e6f3c7b30';

/** The rule for names. */
export const nameRule = '{2f1d8c0a-7c5e-4b61-9d0f-5a1e6f3c7b40}';

/**
 * The metric of the routes that lead to a gateway outside the tunnel. It decides nothing, since no other route is
 * longer, but tells ours from everybody else's.
 */
export const gatewayRouteMetric = 22_349;
