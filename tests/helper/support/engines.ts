import type { EngineKind } from '../../../helper/system/ports/engine-host-port.ts';

/** For tests that concern what carries the tunnel's packets; all others run with one of them. */
export const engines = ['openconnect', 'own'] as const satisfies readonly EngineKind[];
