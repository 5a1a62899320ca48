import type { EngineKind } from '#shared/helper/protocol.ts';

/** For tests that run with each engine in every run. */
export const engines = ['openconnect', 'own'] as const satisfies readonly EngineKind[];

/**
 * What else concerns the engine, which carries the packets, notices what becomes of the way to the gateway and says why
 * it ends. In every run, these run with the one that they stand beside, and in an exhaustive run with the other one,
 * too. Everything else runs once, with the engine that takes less of the processor to start: openconnect.
 */
export const concerningEngines = {
  own: [
    'engine/client-certificates.test.ts',
    'engine/connect-failures.test.ts',
    'engine/odd-gateways.test.ts',
    'engine/other-addresses.test.ts',
    'engine/pushed-addresses.test.ts',
    'engine/redirects.test.ts',
    'engine/slow-path.all.test.ts',
    'engine/too-many-sessions.all.test.ts',
    'protection/kill-switch.test.ts',
    'protection/leaks.test.ts',
    'recovery/crash-recovery.test.ts',
    'routing/connections-end.all.test.ts',
    'traffic/traffic-proof.test.ts',
  ],
  openconnect: [
    'engine/connection-deadline.test.ts',
    'engine/gateway-stream.test.ts',
    'engine/unresolved-gateway.test.ts',
    'routing/routing.test.ts',
    'routing/split.test.ts',
  ],
} as const satisfies Record<EngineKind, readonly string[]>;

/** The engine of a test file that chooses none itself: what `WAYMAKER_TEST_ENGINE` says, or the list above. */
export function usualEngine(testFile: string | undefined): EngineKind {
  const wanted = engines.find((engine) => engine === process.env['WAYMAKER_TEST_ENGINE']);
  if (wanted !== undefined) return wanted;
  const isOurs = concerningEngines.own.some((file) => testFile?.endsWith(`/tests/helper/${file}`));
  return isOurs ? 'own' : 'openconnect';
}
