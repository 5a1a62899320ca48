import * as z from 'zod/mini';
import { nothing } from './common-contract.ts';
import { hostContract } from './contract.ts';
import { event, request, type HostHandlers } from './descriptor.ts';

/**
 * Updates of the app, where no package manager brings them, or one has brought them while it runs: a part of the host contract that only the desktop app has,
 * and that its pages load when they need it.
 */

const version = z.string().check(z.maxLength(32));
/** In bytes. */
const bytes = z.int().check(z.nonnegative());

/** Why there is no newer version, although there may be one. */
export const updateProblem = z.enum([
  'unreachable',
  /** What is offered is not what Waymaker signed. */
  'untrusted',
  /** What is offered is signed for another product, system or processor. */
  'other-product',
  /** A later offer was seen before. */
  'replayed',
  /** What was downloaded is not what was signed. */
  'damaged',
  'no-room',
  /** Another program of this user is downloading. */
  'busy',
]);
export type UpdateProblem = z.infer<typeof updateProblem>;

/** Why a version that was asked for was not installed. */
export const updateHeld = z.enum([
  /** Traffic of this user's, or another user's, tunnel would go out directly meanwhile. */
  'would-open',
  'would-open-other',
  /** Nobody allowed the installer. */
  'not-started',
  /** An installer runs already. */
  'running',
  /** This user may not replace the AppImage. */
  'not-writable',
  /** The AppImage could not be replaced, for another reason. */
  'not-replaced',
]);
export type UpdateHeld = z.infer<typeof updateHeld>;

export const updateState = z.discriminatedUnion('kind', [
  /** Nobody has looked yet. */
  z.object({ kind: z.literal('unknown') }),
  z.object({ kind: z.literal('checking') }),
  z.object({ kind: z.literal('current') }),
  /** Other computers get it first. */
  z.object({ kind: z.literal('later'), version }),
  /** It is only downloaded if the user asks for it: this network costs by the byte. */
  z.object({ kind: z.literal('metered'), version, size: bytes }),
  z.object({ kind: z.literal('downloading'), version, received: bytes, size: bytes }),
  z.object({ kind: z.literal('ready'), version, held: z.nullable(updateHeld) }),
  z.object({ kind: z.literal('installing'), version }),
  /** A package manager has put it in the place of the version that runs. */
  z.object({ kind: z.literal('installed'), version }),
  z.object({ kind: z.literal('failed'), problem: updateProblem }),
]);
export type UpdateState = z.infer<typeof updateState>;

export const updateView = z.object({
  state: updateState,
  /** The version whose installation did not succeed the last time. */
  failedVersion: z.nullable(version),
  /** Whether installing ends the tunnel, because the helper is replaced, too. */
  endsTunnel: z.boolean(),
  /** Whether the app opens again by itself once it is installed. */
  reopens: z.boolean(),
});
export type UpdateView = z.infer<typeof updateView>;

export const updatesContract = {
  updates: {
    /** Null where a package manager brings updates, and has not brought any, or nobody does. */
    get: request(nothing, z.nullable(updateView)),
    /** Looks for a newer version, and downloads it, unless the network is metered. `changed` says what came of it. */
    check: request(nothing, z.null()),
    /** Downloads a version that is only offered, before this computer's turn or on a metered network. */
    download: request(nothing, z.null()),
    /** Installs what is ready, or starts what is installed, which ends the app. */
    install: request(nothing, z.null()),
    /** Null where what was installed is no longer. */
    changed: event(z.nullable(updateView)),
  },
} as const;
export type UpdatesContract = typeof updatesContract;

/** What the desktop app serves to its pages. */
export const desktopContract = { ...hostContract, ...updatesContract } as const;
export type DesktopContract = typeof desktopContract;
export type DesktopImplementation = HostHandlers<DesktopContract>;
