import type { Language, Translations } from '#shared/entities.ts';
import { createTransport } from 'nodemailer';
import { authCodeMail } from './auth-code-mail.ts';
import { invitationMail } from './invitation-mail.ts';
import { createMailSay } from './mail-say.ts';

/** `no-such-mailbox`: the server will not accept mail for this address later, either. */
export type MailResult = { ok: true } | { ok: false; reason: 'no-such-mailbox' | 'not-sent'; error: unknown };

export interface Mailer {
  /** Resolves once the SMTP server has accepted or refused the mail. */
  sendAuthCode(mail: { to: string; code: string; language: Language }): Promise<MailResult>;
  /** Like `sendAuthCode`. `from`: the inviting person's email; `pageUrl`: where to answer, if that is known. */
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

export interface MailerOptions {
  url: string;
  from: string;
  /** The operator's replacements for our texts. */
  operatorTexts: (language: Language) => Promise<Translations>;
}

export function createMailer({ url, from, operatorTexts }: MailerOptions): Mailer {
  const transport = createTransport({ url, pool: true, ...timeouts }, { from });
  const sayIn = async (language: Language) => createMailSay(language, await operatorTexts(language));
  async function send(
    to: string,
    content: { subject: string; text: string; html: string },
  ): Promise<MailResult> {
    const mail = {
      ...content,
      // An object, so that the address is used as it is, and not parsed as a list of addresses.
      to: { name: '', address: to },
      // RFC 3834 §5: vacation responders must not answer this.
      headers: { 'Auto-Submitted': 'auto-generated' },
      // The mails contain only our texts; files and URLs must never be included.
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
    async sendAuthCode({ to, code, language }) {
      return await send(to, authCodeMail(code, language, await sayIn(language)));
    },
    async sendInvitation(mail) {
      return await send(mail.to, invitationMail({ ...mail, say: await sayIn(mail.language) }));
    },
    close: () => transport.close(),
  };
}

/** Answers to RCPT TO about the address rather than the sender: RFC 5321 §4.2.3 (550, 551, 553), RFC 7504 (556). */
const noMailboxCodes: ReadonlySet<unknown> = new Set([550, 551, 553, 556]);

function isNoMailbox(error: unknown): boolean {
  if (!(error instanceof Error && 'code' in error && 'responseCode' in error)) return false;
  return error.code === 'EENVELOPE' && noMailboxCodes.has(error.responseCode);
}
