import { invitationLifetimeDays } from '#shared/constants.ts';
import type { Language } from '#shared/entities.ts';
import { html } from '../http/html.ts';
import { mailFrame } from './mail-frame.ts';

/**
 * The mail that tells of an invitation. Of what the inviting person wrote it quotes nothing but their address, which
 * has been verified: it goes to people who never asked for it.
 */
const texts = {
  en: {
    subject: 'An invitation to share a Waymaker plan',
    intro: (from: string) => `${from} invites you to use their Waymaker plan as a member.`,
    answer: (to: string) => `To accept or decline, sign in to Waymaker as ${to}.`,
    open: 'Open the invitation',
    lifetime: `The invitation is valid for ${invitationLifetimeDays} days.`,
    ignore: 'Nothing changes until you accept. If you do not know this person, decline or ignore this email.',
  },
  'zh-hans': {
    subject: '邀请您共享 Waymaker 套餐',
    intro: (from: string) => `${from} 邀请您作为成员使用其 Waymaker 套餐。`,
    answer: (to: string) => `如需接受或拒绝，请使用 ${to} 登录 Waymaker。`,
    open: '查看邀请',
    lifetime: `邀请 ${invitationLifetimeDays} 天内有效。`,
    ignore: '在您接受之前不会有任何变化。如果您不认识此人，请拒绝或忽略此邮件。',
  },
  'zh-hant': {
    subject: '邀請您共用 Waymaker 方案',
    intro: (from: string) => `${from} 邀請您以成員身分使用其 Waymaker 方案。`,
    answer: (to: string) => `如需接受或拒絕，請使用 ${to} 登入 Waymaker。`,
    open: '檢視邀請',
    lifetime: `邀請 ${invitationLifetimeDays} 天內有效。`,
    ignore: '在您接受之前不會有任何變更。如果您不認識此人，請拒絕或忽略此郵件。',
  },
} as const satisfies Record<Language, object>;

/** `pageUrl`: where it can be answered, if that is known. */
export function invitationMail(mail: {
  to: string;
  from: string;
  pageUrl: string | undefined;
  language: Language;
}) {
  const { to, from, pageUrl, language } = mail;
  const { subject, intro, answer, open, lifetime, ignore } = texts[language];
  const lines = [intro(from), answer(to), ...(pageUrl === undefined ? [] : [pageUrl])];
  const content = html`<p style="margin: 0 0 16px">${intro(from)}</p>
    <p style="margin: 0 0 24px">${answer(to)}</p>
    ${
      pageUrl !== undefined &&
      html`<p style="margin: 0 0 24px">
        <a
          href="${pageUrl}"
          style="display: inline-block; padding: 12px 20px; border: 1px solid #84928b; border-radius: 12px; font-weight: bold"
          >${open}</a
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
