import { apiCode } from '#shared/api/result.ts';
import type { Language } from '#shared/entities.ts';

interface RefusalText extends Record<Language, string> {
  /** The reply's code, and its HTTP status. */
  code: number;
}

/** Why the service refuses a call, with what it tells the user. */
const refusals = {
  'bad-request': {
    code: 400,
    en: 'The request could not be read.',
    'zh-hans': '请求无法识别。',
    'zh-hant': '請求無法識別。',
  },
  'not-signed-in': {
    code: apiCode.unauthorized,
    en: 'Please sign in.',
    'zh-hans': '请先登录。',
    'zh-hant': '請先登入。',
  },
  'not-found': {
    code: apiCode.notFound,
    en: 'Not found.',
    'zh-hans': '未找到。',
    'zh-hant': '找不到。',
  },
  'too-large': {
    code: 413,
    en: 'The request is too large.',
    'zh-hans': '请求过大。',
    'zh-hant': '請求過大。',
  },
  'not-json': {
    code: 415,
    en: 'The request must be JSON.',
    'zh-hans': '请求必须为 JSON 格式。',
    'zh-hant': '請求必須為 JSON 格式。',
  },
  'invalid-fields': {
    code: apiCode.invalid,
    en: 'The request has missing or wrong fields.',
    'zh-hans': '请求中有缺失或错误的字段。',
    'zh-hant': '請求中有缺少或錯誤的欄位。',
  },
  'invalid-email': {
    code: apiCode.invalid,
    en: 'Please enter a valid email address.',
    'zh-hans': '请输入有效的邮箱地址。',
    'zh-hant': '請輸入有效的電子郵件地址。',
  },
  'wrong-code': {
    code: apiCode.invalid,
    en: 'The verification code is incorrect or has expired.',
    'zh-hans': '验证码错误或已过期。',
    'zh-hant': '驗證碼錯誤或已過期。',
  },
  'code-just-sent': {
    code: apiCode.tooManyRequests,
    en: 'A code was just sent. Please wait a minute before asking for another.',
    'zh-hans': '验证码刚刚发送，请一分钟后再重新获取。',
    'zh-hant': '驗證碼剛剛寄出，請一分鐘後再重新取得。',
  },
  'too-many-codes': {
    code: apiCode.tooManyRequests,
    en: 'Too many codes were sent to this address. Please try again later.',
    'zh-hans': '该邮箱获取验证码次数过多，请稍后再试。',
    'zh-hant': '此信箱取得驗證碼次數過多，請稍後再試。',
  },
  'too-many-requests': {
    code: apiCode.tooManyRequests,
    en: 'Too many requests. Please try again later.',
    'zh-hans': '请求过于频繁，请稍后再试。',
    'zh-hant': '請求過於頻繁，請稍後再試。',
  },
  'mail-not-sent': {
    code: 500,
    en: 'The email could not be sent. Please retry.',
    'zh-hans': '邮件发送失败，请重试。',
    'zh-hant': '郵件寄送失敗，請重試。',
  },
  'internal-error': {
    code: 500,
    en: 'Something went wrong on our side. Please retry.',
    'zh-hans': '服务器出现问题，请重试。',
    'zh-hant': '伺服器發生問題，請重試。',
  },
} as const satisfies Record<string, RefusalText>;

export type RefusalReason = keyof typeof refusals;

/** What became of a call. */
export type Outcome<Data> = { ok: true; data: Data } | { ok: false; reason: RefusalReason };

export function done<Data>(data: Data): Outcome<Data> {
  return { ok: true, data };
}

export function refused(reason: RefusalReason): { ok: false; reason: RefusalReason } {
  return { ok: false, reason };
}

/** The envelope of a refusal (specification §7). */
export function refusalReply(reason: RefusalReason, language: Language) {
  return { code: refusals[reason].code, msg: refusals[reason][language], data: null };
}
