import type { Language } from '../entities.ts';

/** Why the service refuses a call, for the user. */
export const refusalTexts = {
  'bad-request': {
    en: 'The request could not be read.',
    'zh-hans': '请求无法识别。',
    'zh-hant': '請求無法識別。',
  },
  'not-signed-in': {
    en: 'Please sign in.',
    'zh-hans': '请先登录。',
    'zh-hant': '請先登入。',
  },
  'not-found': {
    en: 'Not found.',
    'zh-hans': '未找到此内容。',
    'zh-hant': '找不到此內容。',
  },
  'members-may-not': {
    en: 'Members cannot do this. Please ask the person who pays for your plan.',
    'zh-hans': '成员无法进行此操作，请联系付费账户。',
    'zh-hant': '成員無法進行此操作，請聯絡付費帳戶。',
  },
  'own-email': {
    en: 'You cannot add yourself as a member.',
    'zh-hans': '不能将自己添加为成员。',
    'zh-hant': '不能將自己新增為成員。',
  },
  'already-member': {
    en: 'This person is already a member of your plan.',
    'zh-hans': '此人已是您的套餐成员。',
    'zh-hant': '此人已是您的方案成員。',
  },
  'no-seats': {
    en: 'You need an active plan to invite members.',
    'zh-hans': '邀请成员需要有效的套餐。',
    'zh-hant': '邀請成員需要有效的方案。',
  },
  'no-seat-left': {
    en: 'All seats of your plan are taken. Remove a member, or choose a plan with more seats.',
    'zh-hans': '您的套餐席位已用完。请移除成员，或选择席位更多的套餐。',
    'zh-hant': '您的方案名額已用完。請移除成員，或選擇名額更多的方案。',
  },
  'too-many-invitations': {
    en: 'You have sent many invitations today. Please try again tomorrow.',
    'zh-hans': '您今天发送的邀请过多，请明天再试。',
    'zh-hant': '您今天寄出的邀請過多，請明天再試。',
  },
  'invitation-over': {
    en: 'This invitation is no longer valid. Ask for a new one.',
    'zh-hans': '此邀请已失效，请联系对方重新邀请。',
    'zh-hant': '此邀請已失效，請聯絡對方重新邀請。',
  },
  'in-a-group': {
    en: 'You are already a member of another plan. Leave it first.',
    'zh-hans': '您已是其他套餐的成员，请先退出。',
    'zh-hant': '您已是其他方案的成員，請先退出。',
  },
  'has-own-plan': {
    en: 'You have a plan or members of your own. You can accept once your plan has ended and you have no members.',
    'zh-hans': '您有自己的套餐或成员。套餐到期且没有成员后才能接受邀请。',
    'zh-hant': '您有自己的方案或成員。方案到期且沒有成員後才能接受邀請。',
  },
  'group-full': {
    en: 'This plan has no free seat left. Please ask the person who invited you.',
    'zh-hans': '该套餐已没有空余席位，请联系邀请您的人。',
    'zh-hant': '此方案已沒有空餘名額，請聯絡邀請您的人。',
  },
  'not-in-a-group': {
    en: 'You are not a member of a plan.',
    'zh-hans': '您不是任何套餐的成员。',
    'zh-hant': '您不是任何方案的成員。',
  },
  'order-paid': {
    en: 'This order has already been paid.',
    'zh-hans': '此订单已付款。',
    'zh-hant': '此訂單已付款。',
  },
  'order-expired': {
    en: 'This order has expired. Please order again.',
    'zh-hans': '此订单已过期，请重新下单。',
    'zh-hant': '此訂單已過期，請重新下單。',
  },
  'payments-off': {
    en: 'Nothing can be bought here. Please use a license key.',
    'zh-hans': '此处无法购买，请使用激活码。',
    'zh-hant': '此處無法購買，請使用授權碼。',
  },
  'unknown-product': {
    en: 'This plan is no longer sold. Please choose another.',
    'zh-hans': '该套餐已停售，请选择其他套餐。',
    'zh-hant': '此方案已停售，請選擇其他方案。',
  },
  'hand-over-over': {
    en: 'This link has been used or has expired. Open the purchase page from the app again.',
    'zh-hans': '此链接已使用或已过期，请从应用重新打开购买页面。',
    'zh-hant': '此連結已使用或已過期，請從應用程式重新開啟購買頁面。',
  },
  'store-visit-over': {
    en: 'This page has expired. Open the purchase page from the app again.',
    'zh-hans': '此页面已过期，请从应用重新打开购买页面。',
    'zh-hant': '此頁面已過期，請從應用程式重新開啟購買頁面。',
  },
  'payment-open': {
    en: 'The payment has not been completed yet.',
    'zh-hans': '付款尚未完成。',
    'zh-hant': '付款尚未完成。',
  },
  'payment-unreachable': {
    en: 'The payment provider cannot be reached. Please retry in a moment.',
    'zh-hans': '暂时无法连接支付服务，请稍后重试。',
    'zh-hant': '暫時無法連線至付款服務，請稍後重試。',
  },
  'payment-taken-back': {
    en: 'This payment was refunded, or is disputed.',
    'zh-hans': '此付款已退款或存在争议。',
    'zh-hant': '此付款已退款或有爭議。',
  },
  'bad-signature': {
    en: 'The signature is wrong or too old.',
    'zh-hans': '签名错误或已过期。',
    'zh-hant': '簽章錯誤或已過期。',
  },
  'payment-declined': {
    en: 'The payment was declined.',
    'zh-hans': '付款被拒绝。',
    'zh-hant': '付款遭拒絕。',
  },
  'unknown-order': {
    en: 'This order does not exist.',
    'zh-hans': '此订单不存在。',
    'zh-hant': '此訂單不存在。',
  },
  'unknown-license-key': {
    en: 'This license key does not exist. Please check what you entered.',
    'zh-hans': '此激活码不存在，请检查输入的内容。',
    'zh-hant': '此授權碼不存在，請檢查輸入的內容。',
  },
  'own-license-key': {
    en: 'You have already used this license key. Its time is part of your plan.',
    'zh-hans': '您已使用过此激活码，其时长已计入您的套餐。',
    'zh-hant': '您已使用過此授權碼，其使用時間已計入您的方案。',
  },
  'used-license-key': {
    en: 'This license key has already been used. Please enter another one.',
    'zh-hans': '此激活码已被使用，请输入其他激活码。',
    'zh-hant': '此授權碼已被使用，請輸入其他授權碼。',
  },
  'invalid-app-name': {
    en: 'The app name cannot be empty.',
    'zh-hans': '应用名称不能为空。',
    'zh-hant': '應用程式名稱不能為空。',
  },
  'invalid-app-link': {
    en: 'Please enter a valid URL.',
    'zh-hans': '请输入有效的网址。',
    'zh-hant': '請輸入有效的網址。',
  },
  'invalid-app-icon': {
    en: 'The icon must be a PNG image of 128 × 128 pixels.',
    'zh-hans': '图标必须是 128 × 128 像素的 PNG 图片。',
    'zh-hant': '圖示必須是 128 × 128 像素的 PNG 圖片。',
  },
  'too-many-apps': {
    en: 'You cannot add more apps. Please delete one first.',
    'zh-hans': '应用数量已达上限，请先删除一个。',
    'zh-hant': '應用程式數量已達上限，請先刪除一個。',
  },
  'too-large': {
    en: 'The request is too large.',
    'zh-hans': '请求过大。',
    'zh-hant': '請求過大。',
  },
  'not-json': {
    en: 'The request must be JSON.',
    'zh-hans': '请求必须为 JSON 格式。',
    'zh-hant': '請求必須為 JSON 格式。',
  },
  'invalid-fields': {
    en: 'The request has missing or wrong fields.',
    'zh-hans': '请求中有缺失或错误的字段。',
    'zh-hant': '請求中有缺少或錯誤的欄位。',
  },
  'invalid-email': {
    en: 'Please enter a valid email address.',
    'zh-hans': '请输入有效的邮箱地址。',
    'zh-hant': '請輸入有效的電子郵件地址。',
  },
  'wrong-code': {
    en: 'The verification code is incorrect or has expired.',
    'zh-hans': '验证码错误或已过期。',
    'zh-hant': '驗證碼錯誤或已過期。',
  },
  'code-just-sent': {
    en: 'A code was just sent. Please wait a minute before asking for another.',
    'zh-hans': '验证码刚刚发送，请一分钟后再重新获取。',
    'zh-hant': '驗證碼剛剛寄出，請一分鐘後再重新取得。',
  },
  'too-many-codes': {
    en: 'Too many codes were sent to this address. Please try again later.',
    'zh-hans': '该邮箱获取验证码次数过多，请稍后再试。',
    'zh-hant': '此電子郵件地址取得驗證碼的次數過多，請稍後再試。',
  },
  'too-many-requests': {
    en: 'Too many requests. Please try again later.',
    'zh-hans': '请求过于频繁，请稍后再试。',
    'zh-hant': '請求過於頻繁，請稍後再試。',
  },
  'mail-refused': {
    en: 'This address does not accept mail. Please check it.',
    'zh-hans': '该邮箱无法接收邮件，请检查地址。',
    'zh-hant': '此電子郵件地址無法接收郵件，請檢查。',
  },
  'mail-not-sent': {
    en: 'The email could not be sent. Please retry.',
    'zh-hans': '邮件发送失败，请重试。',
    'zh-hant': '郵件寄送失敗，請重試。',
  },
  unavailable: {
    en: 'The service is busy. Please retry in a moment.',
    'zh-hans': '服务繁忙，请稍后重试。',
    'zh-hant': '服務繁忙，請稍後重試。',
  },
  'internal-error': {
    en: 'Something went wrong on our side. Please retry.',
    'zh-hans': '服务出现问题，请重试。',
    'zh-hant': '服務發生問題，請重試。',
  },
} as const satisfies Record<string, Record<Language, string>>;
