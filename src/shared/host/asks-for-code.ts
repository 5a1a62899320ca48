import type { GatewayForm } from './gateway-form.ts';

/** Whether a form asks for a one-time code; a guess by the text: gateways do not mark codes in any other way. */
export const asksForCode = ({ topic, fields: [field, ...others], message }: GatewayForm): boolean =>
  topic === 'form' &&
  field?.kind === 'secret' &&
  others.length === 0 &&
  /\b(?:otp|totp|token|passcode|code)\b|验证码|驗證碼/i.test(`${message} ${field.label}`);
