import type { Language } from '#shared/entities.ts';
import { createTransport } from 'nodemailer';
import { authCodeMail } from './auth-code-mail.ts';

export interface Mailer {
  /** Resolves when the SMTP server has taken the mail; rejects if it did not. */
  sendAuthCode(mail: { to: string; code: string; language: Language }): Promise<void>;
  close(): void;
}

/** The user waits for the reply meanwhile. */
const timeouts = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000 };

export function createMailer({ url, from }: { url: string; from: string }): Mailer {
  const transport = createTransport({ url, pool: true, ...timeouts }, { from });
  return {
    async sendAuthCode({ to, code, language }) {
      // As an object the address is taken as it is, and not parsed as a list of addresses.
      const recipient = { name: '', address: to };
      await transport.sendMail({
        ...authCodeMail(code, language),
        to: recipient,
        // RFC 3834 §5: a vacation responder must not answer this.
        headers: { 'Auto-Submitted': 'auto-generated' },
        // The mail has nothing but the texts above: no file or URL may ever be put in.
        disableFileAccess: true,
        disableUrlAccess: true,
      });
    },
    close: () => transport.close(),
  };
}
