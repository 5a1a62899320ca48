import { byTrustedRoots, trustSystemRoots } from '#node/anyconnect/system-roots.ts';
import type { Language, Translations } from '#shared/entities.ts';
import { createTransport } from 'nodemailer';
import { authCodeMail } from './auth-code-mail.ts';
import { invitationMail } from './invitation-mail.ts';
import { createMailSay } from './mail-say.ts';
import { isNoMailbox } from './no-mailbox.ts';

/** `no-such-mailbox`: the server will not accept mail for this address later, either. */
export type MailResult = { ok: true } | { ok: false; reason: 'no-such-mailbox' | 'not-sent'; error: unknown };

export interface Mailer {
  /** Resolves once the SMTP server has accepted or refused the mail. */
  sendAuthCode(mail: { to: string; code: string; language: Language }): Promise<MailResult>;
  /**
   * Like `sendAuthCode`, for as long as a server may take. `id`: of the invitation; whenever it is sent again, its mail
   * has the same Message-ID. `from`: the inviting person's email; `pageUrl`: where to answer, if that is known.
   */
  sendInvitation(mail: {
    id: string;
    to: string;
    from: string;
    pageUrl: string | undefined;
    language: Language;
  }): Promise<MailResult>;
  close(): void;
}

const connecting = { connectionTimeout: 10_000, greetingTimeout: 10_000 };
/** How long a server may take for an answer while a user waits for the mail, in milliseconds. */
const userWaitsMs = 20_000;
/**
 * For the answer to a whole mail (RFC 5321 §4.5.3.2.6). A server that looks through mails may take minutes before it
 * answers, and it has taken a mail whose sender has gone by then: who sent it again would send it twice (RFC 1047).
 */
const serverTakesMs = 10 * 60_000;

export interface MailerOptions {
  url: string;
  /** An address, alone or in angle brackets after a name. */
  from: string;
  /** The operator's replacements for our texts. */
  operatorTexts: (language: Language) => Promise<Translations>;
  /** Other limits than the usual ones, in milliseconds. */
  patience?: { userWaitsMs: number; serverTakesMs: number };
}

export function createMailer({
  url,
  from,
  operatorTexts,
  patience = { userWaitsMs, serverTakesMs },
}: MailerOptions): Mailer {
  const transportOf = (socketTimeout: number) =>
    createTransport({ url, pool: true, tls: byTrustedRoots, ...connecting, socketTimeout }, { from });
  const urgent = transportOf(patience.userWaitsMs);
  const patient = transportOf(patience.serverTakesMs);
  const domain = from.slice(from.lastIndexOf('@') + 1).replace('>', '');
  const sayIn = async (language: Language) => createMailSay(language, await operatorTexts(language));
  async function send(
    transport: typeof urgent,
    to: string,
    content: { subject: string; text: string; html: string; messageId?: string },
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
      trustSystemRoots();
      await transport.sendMail(mail);
      return { ok: true };
    } catch (error) {
      return { ok: false, reason: isNoMailbox(error) ? 'no-such-mailbox' : 'not-sent', error };
    }
  }
  return {
    async sendAuthCode({ to, code, language }) {
      return await send(urgent, to, authCodeMail(code, language, await sayIn(language)));
    },
    async sendInvitation(mail) {
      const content = invitationMail({ ...mail, say: await sayIn(mail.language) });
      return await send(patient, mail.to, { ...content, messageId: `<invitation.${mail.id}@${domain}>` });
    },
    close() {
      urgent.close();
      patient.close();
    },
  };
}
