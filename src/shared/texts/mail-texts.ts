import type { Language } from '../entities.ts';

/** Texts of the service's mails; `{{…}}` is filled in. */
const en = {
  'mail.code.subject': 'Your Waymaker sign-in code',
  'mail.code.intro': 'Enter this code to sign in to Waymaker:',
  'mail.code.lifetime': 'The code is valid for {{minutes}} minutes and can be used once.',
  'mail.code.ignore': 'If you did not ask for it, ignore this email and do not share the code with anyone.',

  'mail.invitation.subject': 'An invitation to share a Waymaker plan',
  'mail.invitation.intro': '{{from}} invites you to use their Waymaker plan as a member.',
  'mail.invitation.answer': 'To accept or decline, sign in to Waymaker as {{to}}.',
  'mail.invitation.open': 'Open the invitation',
  'mail.invitation.lifetime': 'The invitation is valid for {{days}} days.',
  'mail.invitation.ignore':
    'Nothing changes until you accept. If you do not know this person, decline or ignore this email.',
} as const;

export type MailTextKey = keyof typeof en;

export const mailTexts: Record<Language, Record<MailTextKey, string>> = {
  en,
  'zh-hans': {
    'mail.code.subject': '您的 Waymaker 登录验证码',
    'mail.code.intro': '请输入以下验证码登录 Waymaker：',
    'mail.code.lifetime': '验证码 {{minutes}} 分钟内有效，仅可使用一次。',
    'mail.code.ignore': '如非您本人操作，请忽略此邮件，切勿将验证码告知他人。',

    'mail.invitation.subject': '邀请您共享 Waymaker 套餐',
    'mail.invitation.intro': '{{from}} 邀请您作为成员使用其 Waymaker 套餐。',
    'mail.invitation.answer': '如需接受或拒绝，请使用 {{to}} 登录 Waymaker。',
    'mail.invitation.open': '查看邀请',
    'mail.invitation.lifetime': '邀请 {{days}} 天内有效。',
    'mail.invitation.ignore': '在您接受之前不会有任何变化。如果您不认识此人，请拒绝或忽略此邮件。',
  },
  'zh-hant': {
    'mail.code.subject': '您的 Waymaker 登入驗證碼',
    'mail.code.intro': '請輸入以下驗證碼登入 Waymaker：',
    'mail.code.lifetime': '驗證碼 {{minutes}} 分鐘內有效，僅可使用一次。',
    'mail.code.ignore': '如非您本人操作，請忽略此郵件，切勿將驗證碼告知他人。',

    'mail.invitation.subject': '邀請您共用 Waymaker 方案',
    'mail.invitation.intro': '{{from}} 邀請您以成員身分使用其 Waymaker 方案。',
    'mail.invitation.answer': '如需接受或拒絕，請使用 {{to}} 登入 Waymaker。',
    'mail.invitation.open': '檢視邀請',
    'mail.invitation.lifetime': '邀請 {{days}} 天內有效。',
    'mail.invitation.ignore': '在您接受之前不會有任何變更。如果您不認識此人，請拒絕或忽略此郵件。',
  },
};
