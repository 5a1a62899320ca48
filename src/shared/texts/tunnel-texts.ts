import type { Preferences } from '../host/preferences.ts';
import {
  disconnectReason,
  type ConnectionProblem,
  type DisconnectReason,
  type InvalidCause,
  type TunnelState,
} from '../tunnel/state.ts';
import type { TextKey } from './texts.ts';
import { isBlocked, problemsByWeight, type ConnectRefusal } from '../tunnel/look.ts';

/** What the tunnel is doing, in a few words. */
export function statusText(state: TunnelState | undefined): TextKey {
  if (isBlocked(state)) return 'connect.blocked';
  switch (state?.state) {
    case undefined:
      return 'connect.loading';
    case 'disconnected':
      return 'connect.disconnected';
    case 'connecting':
      return state.attempt > 1 ? 'connect.reconnecting' : 'connect.connecting';
    case 'connected': {
      const [worst] = problemsByWeight(state);
      return worst ? problemText(worst).title : 'connect.connected';
    }
    case 'disconnecting':
      return 'connect.disconnecting';
    case 'invalid':
      return causeTexts[state.cause].title;
    default:
      return state satisfies never;
  }
}

export const phaseTexts: Record<Extract<TunnelState, { state: 'connecting' }>['phase'], TextKey> = {
  resolving: 'connect.phaseResolving',
  authenticating: 'connect.phaseAuthenticating',
  handshaking: 'connect.phaseHandshaking',
  configuring: 'connect.phaseConfiguring',
  waiting: 'connect.phaseWaiting',
};

/**
 * What happens to traffic while a tunnel on a desktop is being established or recreated (docs/promises.md, "Per
 * state").
 */
export function waitingText({ routing, apps: programs, addresses }: Preferences): TextKey {
  const isPartly =
    routing === 'automatic' ||
    (routing === 'app' && programs !== undefined && programs.ids.length > 0) ||
    (routing === 'address' &&
      addresses !== undefined &&
      addresses.countries.length + addresses.prefixes.length > 0);
  return isPartly ? 'connect.waitsPartly' : 'connect.waits';
}

interface Trouble {
  title: TextKey;
  text?: TextKey;
  /** `info` if the user caused it; that is not a failure. */
  tone?: 'info' | 'warn';
  /** Replaces `text` while the kill switch blocks traffic. */
  whileBlocked?: TextKey;
  /** Set if a plan is missing. Replaces `text` for members, since somebody else pays for their plan. */
  forMember?: TextKey;
}

const failed = (text: TextKey): Trouble => ({ title: 'connect.failed', text });

/** The state can only be read; there is nothing to press. */
export const ownedByOther: Trouble = {
  title: 'connect.ownedByOther',
  text: 'connect.ownedByOtherText',
  tone: 'info',
};

/** `gateway-tls-failed` as it is in the keys of texts: `gatewayTlsFailed`. */
type InKeys<Name extends string> = Name extends `${infer First}-${infer Rest}`
  ? `${First}${Capitalize<InKeys<Rest>>}`
  : Name;
const inKeys = <Name extends string>(name: Name) =>
  name.replaceAll(/-(.)/g, (_all, letter: string) => letter.toUpperCase()) as InKeys<Name>;

/** Reasons of which more is to be said than that it failed, and one text. */
const otherReasons = {
  'captive-portal': {
    title: 'reason.captivePortal',
    text: 'reason.captivePortalText',
    whileBlocked: 'reason.captivePortalBlocked',
    tone: 'warn',
  },
  'sign-in-cancelled': { title: 'reason.signInCancelled', tone: 'info' },
  'protection-failed': { title: 'connect.unprotected', text: 'reason.protectionFailed' },
  'journal-unreadable': {
    title: 'connect.journalUnreadable',
    text: 'reason.journalUnreadable',
    tone: 'warn',
  },
  'trial-ended': {
    title: 'connect.trialEnded',
    text: 'reason.trialEnded',
    forMember: 'connect.groupOfMember',
  },
  'plan-ended': { title: 'connect.planEnded', text: 'reason.planEnded', forMember: 'connect.groupOfMember' },
} as const satisfies Partial<Record<DisconnectReason, Trouble>>;
type UsualReason = Exclude<DisconnectReason, keyof typeof otherReasons>;

/**
 * Why there is no tunnel, and what the user can do about it. The keys of the usual ones follow from their names, since
 * the first pages load this.
 */
export const reasonTexts: Record<DisconnectReason, Trouble> = {
  ...(Object.fromEntries(
    disconnectReason.options.map((reason) => [reason, failed(`reason.${inKeys(reason as UsualReason)}`)]),
  ) as Record<UsualReason, Trouble>),
  ...otherReasons,
};

/** What is wrong with a tunnel that is up, and what the user can do about it: keys that follow from its name. */
export function problemText(problem: ConnectionProblem): { title: TextKey; text: TextKey } {
  const title = `problem.${inKeys(problem)}` as const;
  return { title, text: `${title}Text` };
}

export const refusalTexts: Record<ConnectRefusal, Trouble> = {
  'no-server-selected': { title: 'connect.noServerSelected', text: 'connect.noServerSelectedText' },
  'bad-address': failed('reason.badAddress'),
  'not-listed': { ...failed('reason.serverNotListed'), forMember: 'reason.serverNotListedMember' },
  'not-signed-in': failed('reason.notSignedIn'),
  'not-owner': ownedByOther,
  unavailable: failed('reason.unavailable'),
};

/** Why there can be no tunnel at all, and what the user can do about it. */
export const causeTexts: Record<InvalidCause, { title: TextKey; text: TextKey }> = {
  'helper-absent': { title: 'cause.helperAbsentTitle', text: 'cause.helperAbsent' },
  'helper-unapproved': { title: 'cause.helperUnapprovedTitle', text: 'cause.helperUnapproved' },
  'helper-incompatible': { title: 'cause.helperIncompatibleTitle', text: 'cause.helperIncompatible' },
  'installation-refused': {
    title: 'cause.installationRefusedTitle',
    text: 'cause.installationRefused',
  },
  'permission-denied': { title: 'cause.permissionDeniedTitle', text: 'cause.permissionDenied' },
  'engine-absent': { title: 'cause.engineAbsentTitle', text: 'cause.engineAbsent' },
  'tunnel-unsupported': { title: 'cause.tunnelUnsupportedTitle', text: 'cause.tunnelUnsupported' },
};
