import { authCodeLifetimeMinutes } from '#shared/constants.ts';
import type { Language } from '#shared/entities.ts';
import { html } from '../http/html.ts';
import { mailFrame } from './mail-frame.ts';
import { createMailSay, type MailSay } from './mail-say.ts';

/**
 * The mail with a sign-in code. It quotes nothing that the requesting device sent (such as its name): anybody can have
 * this mail sent to anybody, and must not choose what it says. The code is not in the subject, which appears on lock
 * screens and in mail servers' logs.
 */
export function authCodeMail(code: string, language: Language, say: MailSay = createMailSay(language)) {
  const subject = say('mail.code.subject');
  const intro = say('mail.code.intro');
  const lifetime = say('mail.code.lifetime', { minutes: String(authCodeLifetimeMinutes) });
  const ignore = say('mail.code.ignore');
  return {
    subject,
    text: `${intro}\n\n${code}\n\n${lifetime}\n${ignore}\n`,
    html: mailFrame(
      { subject, language },
      html`<p style="margin: 0 0 16px">${intro}</p>
        <p
          style="margin: 0 0 24px; padding: 12px; border: 1px solid #84928b; border-radius: 12px; text-align: center; font-size: 32px; font-weight: bold; letter-spacing: 6px; text-indent: 6px"
        >
          ${code}
        </p>
        <p style="margin: 0 0 8px; font-size: 14px">${lifetime}</p>
        <p style="margin: 0; font-size: 14px">${ignore}</p>`,
    ),
  };
}
