import type { Language } from '#shared/entities.ts';
import { createTransport } from 'nodemailer';
import { authCodeMail } from './auth-code-mail.ts';
import { invitationMail } from './invitation-mail.ts';

/** `no-such-mailbox`: it will not take mail for this address tomorrow either. */
export type MailResult = { ok: true } | { ok: false; reason: 'no-such-mailbox' | 'not-sent'; error: unknown };

export interface Mailer {
  /** Resolves when the SMTP server has taken the mail, or did not. */
  sendAuthCode(mail: { to: string; code: string; language: Language }): Promise<MailResult>;
  /** As above. `from`: the inviting person's email; `pageUrl`: where it can be answered, if that is known. */
  sendInvitation(mail: {
    to: string;
    from: string;
    pageUrl: string | undefined;
    language: Language;
  }): Promise<MailResult>;
  close(): void;
}

/** The user waits for the reply meanwhile. */
const timeouts = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000 };

export function createMailer({ url, from }: { url: string; from: string }): Mailer {
  const transport = createTransport({ url, pool: true, ...timeouts }, { from });
  async function send(
    to: string,
    content: { subject: string; text: string; html: string },
  ): Promise<MailResult> {
    const mail = {
      ...content,
      // As an object the address is taken as it is, and not parsed as a list of addresses.
      to: { name: '', address: to },
      // RFC 3834 §5: a vacation responder must not answer this.
      headers: { 'Auto-Submitted': 'auto-generated' },
      // The mails have nothing but our texts: no file or URL may ever be put in.
      disableFileAccess: true,
      disableUrlAccess: true,
    };
    try {
      await transport.sendMail(mail);
      return { ok: true };
    } catch (error) {
      return { ok: false, reason: isNoMailbox(error) ? 'no-such-mailbox' : 'not-sent', error };
    }
  }
  return {
    sendAuthCode: ({ to, code, language }) => send(to, authCodeMail(code, language)),
    sendInvitation: (mail) => send(mail.to, invitationMail(mail)),
    close: () => transport.close(),
  };
}

/** Answers to RCPT TO about the address and not about the sender: RFC 5321 §4.2.3 (550, 551, 553), RFC 7504 (556). */
const noMailboxCodes: ReadonlySet<unknown> = new Set([550, 551, 553, 556]);

function isNoMailbox(error: unknown): boolean {
  if (!(error instanceof Error && 'code' in error && 'responseCode' in error)) return false;
  return error.code === 'EENVELOPE' && noMailboxCodes.has(error.responseCode);
}
