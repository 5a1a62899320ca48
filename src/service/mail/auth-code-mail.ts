import { authCodeLifetimeMinutes } from '#shared/constants.ts';
import type { Language } from '#shared/entities.ts';
import { html } from '../http/html.ts';
import { mailFrame } from './mail-frame.ts';

/**
 * The mail that carries a sign-in code. It quotes nothing that the asking device sent (its name, say): anybody can
 * have this mail sent to anybody, and must not choose what it says. The code is not in the subject, which lock
 * screens and mail servers' logs show.
 */
const texts = {
  en: {
    subject: 'Your Waymaker sign-in code',
    intro: 'Enter this code to sign in to Waymaker:',
    lifetime: `The code is valid for ${authCodeLifetimeMinutes} minutes and can be used once.`,
    ignore: 'If you did not ask for it, ignore this email and do not share the code with anybody.',
  },
  'zh-hans': {
    subject: '您的 Waymaker 登录验证码',
    intro: '请输入以下验证码登录 Waymaker：',
    lifetime: `验证码 ${authCodeLifetimeMinutes} 分钟内有效，仅可使用一次。`,
    ignore: '如非您本人操作，请忽略此邮件，切勿将验证码告知他人。',
  },
  'zh-hant': {
    subject: '您的 Waymaker 登入驗證碼',
    intro: '請輸入以下驗證碼登入 Waymaker：',
    lifetime: `驗證碼 ${authCodeLifetimeMinutes} 分鐘內有效，僅可使用一次。`,
    ignore: '如非您本人操作，請忽略此郵件，切勿將驗證碼告知他人。',
  },
} as const satisfies Record<Language, object>;

export function authCodeMail(code: string, language: Language) {
  const { subject, intro, lifetime, ignore } = texts[language];
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
