import type { ServiceConfig } from '../config.ts';
import { createMailer, type Mailer, type MailerOptions } from './mailer.ts';

export interface Mail {
  mailer: Mailer;
  /** The development mailbox's page; undefined with an SMTP server. */
  mailboxUrl: string | undefined;
  close(): Promise<void>;
}

/** Sends mail through the configured SMTP server, or else into a development mailbox inside the service. */
export async function openMail(
  config: ServiceConfig['mail'],
  operatorTexts: MailerOptions['operatorTexts'],
  now: () => Date,
): Promise<Mail> {
  switch (config.kind) {
    case 'smtp': {
      const mailer = createMailer({ ...config, operatorTexts });
      return { mailer, mailboxUrl: undefined, close: async () => mailer.close() };
    }
    case 'mailbox': {
      // Only here, because an installed service has no use for an SMTP server.
      const { startMailbox } = await import('./mailbox.ts');
      const mailbox = await startMailbox({ ...config, now });
      const mailer = createMailer({ url: mailbox.smtpUrl, from: config.from, operatorTexts });
      const close = async () => {
        // The mailer first, because the mailbox waits for open connections.
        mailer.close();
        await mailbox.close();
      };
      return { mailer, mailboxUrl: mailbox.url, close };
    }
    default:
      return config satisfies never;
  }
}
