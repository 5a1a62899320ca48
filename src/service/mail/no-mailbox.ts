/** Answers to RCPT TO about its address: RFC 5321 §4.2.3 (550, 551, 553), RFC 7504 (556). */
const noMailboxCodes: ReadonlySet<unknown> = new Set([550, 551, 553, 556]);

/**
 * What servers answer to RCPT TO with the same codes although it is not about that address, by its enhanced status
 * (RFC 3463 §3): that the sender's address is wrong (X.1.7, X.1.8), or who may send at all (X.7.Y): a server that does
 * not relay, a list of blocked senders.
 */
const othersFault = /^5\d\d[ -]5\.(?:7\.\d{1,3}|1\.[78])(?!\d)/;

/** Whether nodemailer's error says that a mail server will not take mail for this address later, either. */
export function isNoMailbox(error: unknown): boolean {
  if (!(error instanceof Error && 'responseCode' in error && 'command' in error)) return false;
  // The sender of all mails is refused in answer to MAIL FROM, with the same codes.
  if (error.command !== 'RCPT TO' || !noMailboxCodes.has(error.responseCode)) return false;
  return !('response' in error && othersFault.test(String(error.response)));
}
