import { cutText } from '#shared/cut-text.ts';
import { maxGoodbyeChars } from '#shared/tunnel/state.ts';
import { shownLine, shownLines } from '#shared/unseen-characters.ts';
import type { GivenTerms } from './engine-port.ts';
import { isDomain } from './domain-form.ts';

/** What a gateway says beside the configuration, as far as it can be used. */
export interface GatewayTerms {
  /** Seconds until it ends the session, whatever happens; undefined: without limit, or not told. */
  sessionSeconds: number | undefined;
  /** Seconds without a packet until it ends the session. */
  idleSeconds: number | undefined;
  /** A text for the user, of several lines. */
  message: string | undefined;
  /** Domains whose names its resolvers are for; none: all. */
  splitDns: string[];
  /** For programs that administrators know of. */
  attributes: { name: string; value: string }[];
}

/** Longer ones mean the same as none: 30 years. */
const maxSeconds = 1_000_000_000;
const maxMessageChars = 4_000;
const maxSplitDns = 64;

/** Every engine's terms pass this check: they come from the network through an unprivileged process. */
export function checkTerms(given: GivenTerms): GatewayTerms {
  const message = cutText(
    shownLines(given.message ?? '')
      .join('\n')
      .trim(),
    maxMessageChars,
  );
  return {
    sessionSeconds: usableSeconds(given.sessionSeconds),
    idleSeconds: usableSeconds(given.idleSeconds),
    message: message === '' ? undefined : message,
    splitDns: given.splitDns.filter(isDomain).slice(0, maxSplitDns),
    attributes: given.attributes.map(({ name, value }) => ({ name, value: shownLine(value) })),
  };
}

/** What a gateway says as it ends or refuses a tunnel, on one line; undefined: nothing that can be seen. */
export const checkGoodbye = (given: string): string | undefined =>
  cutText(shownLine(given), maxGoodbyeChars).trim() || undefined;

const usableSeconds = (seconds: number | undefined) =>
  seconds !== undefined && Number.isInteger(seconds) && seconds > 0 && seconds <= maxSeconds
    ? seconds
    : undefined;
