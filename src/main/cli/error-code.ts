import { disconnectReason, invalidCause } from '#shared/tunnel/state.ts';
import { exitCode, type ExitCode } from './exit-code.ts';

/** The words in `error.code`, by the exit code that goes with them: part of the interface, too. */
export const errorCodes = {
  [exitCode.failed]: [
    'app-running',
    'bad-address',
    'bad-code',
    'busy',
    'core-gone',
    'failed',
    'helper-running',
    'incompatible',
    'network',
    'no-code',
    'no-core',
    'no-data-folder',
    'no-lists',
    'no-room',
    'no-updates',
    'not-admitted',
    'not-applied',
    'not-removed',
    'not-restored',
    'not-root',
    'not-routed',
    'not-started',
    'not-stored',
    'servers-unknown',
    'service',
    'untrusted',
    'would-open',
  ],
  [exitCode.usage]: ['bad-address', 'bad-email', 'no-such-app', 'not-confirmed', 'several-servers', 'usage'],
  [exitCode.notSignedIn]: ['not-signed-in', 'sign-in-lost'],
  [exitCode.unavailable]: [
    ...invalidCause.options,
    'broken',
    'helper-runs',
    'no-account',
    'no-helper',
    'no-namespaces',
    'no-packet-filter',
    'no-peer',
    'no-program',
    'no-sign-in',
    'no-tun',
    'no-uplink',
    'not-restored',
    'not-root',
    'not-served',
    'unavailable',
    'unsupported',
    'wrong-code',
  ],
  [exitCode.notConnected]: [...disconnectReason.options, 'disconnected', 'not-connected'],
  [exitCode.refused]: ['no-server', 'no-server-selected', 'no-such-server', 'not-listed', 'not-owner'],
  [exitCode.interrupted]: ['interrupted'],
} as const satisfies Partial<Record<ExitCode, readonly string[]>>;

/** The exit codes of errors. */
export type ErrorExit = keyof typeof errorCodes;
export type ErrorCode<Exit extends ErrorExit = ErrorExit> = (typeof errorCodes)[Exit][number];
