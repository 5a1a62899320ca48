import { invitationLifetimeDays } from '#shared/constants.ts';
import type { Language } from '#shared/entities.ts';
import { html } from '../http/html.ts';
import { accent, mailFrame, onAccent } from './mail-frame.ts';
import { createMailSay, type MailSay } from './mail-say.ts';

/**
 * The mail about an invitation. Of what the inviting person wrote, it quotes only their address, which has been
 * verified, because it goes to people who never asked for it. `pageUrl`: where to answer, if that is known.
 */
export function invitationMail(mail: {
  to: string;
  from: string;
  pageUrl: string | undefined;
  language: Language;
  say?: MailSay;
}) {
  const { to, from, pageUrl, language, say = createMailSay(language) } = mail;
  const subject = say('mail.invitation.subject');
  const intro = say('mail.invitation.intro', { from });
  const answer = say('mail.invitation.answer', { to });
  const lifetime = say('mail.invitation.lifetime', { days: String(invitationLifetimeDays) });
  const ignore = say('mail.invitation.ignore');
  const lines = [intro, answer, ...(pageUrl === undefined ? [] : [pageUrl])];
  const content = html`<p style="margin: 0 0 16px">${intro}</p>
    <p style="margin: 0 0 24px">${answer}</p>
    ${
      pageUrl !== undefined &&
      html`<p style="margin: 0 0 24px">
        <a
          href="${pageUrl}"
          style="display: inline-block; padding: 10px 22px; border-radius: 10px; background: ${accent}; color: ${onAccent}; font-weight: bold; text-decoration: none"
          >${say('mail.invitation.open')}</a
        >
      </p>`
    }
    <p style="margin: 0 0 8px; font-size: 14px">${lifetime}</p>
    <p style="margin: 0; font-size: 14px">${ignore}</p>`;
  return {
    subject,
    text: `${lines.join('\n\n')}\n\n${lifetime}\n${ignore}\n`,
    html: mailFrame({ subject, language }, content),
  };
}
