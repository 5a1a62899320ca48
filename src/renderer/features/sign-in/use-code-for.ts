import { apiCode } from '#shared/api/result.ts';
import { useNow } from '../../ui/time/use-now.ts';
import { isCodeOver, resendSecondsLeft, wasSentTo } from './sent-code.ts';
import { useRequestCode } from './use-request-code.ts';
import { useSentCode } from './use-sent-code.ts';

/** The codes for one email. */
interface CodeFor {
  busy: boolean;
  /** Of the code that was mailed last, as long as it can be typed. */
  authId: string | undefined;
  /**
   * Has one mailed, unless the service would not send another one yet. Resolves with the authId to verify with, or with
   * undefined once the user was told why there is none.
   */
  get(): Promise<string | undefined>;
}

export function useCodeFor(email: string): CodeFor {
  const requestCode = useRequestCode();
  const lastSent = useSentCode();
  const now = useNow(1);
  const sent = lastSent && wasSentTo(lastSent, email) ? lastSent : undefined;
  const authId = sent && !isCodeOver(sent, now) ? sent.authId : undefined;
  return {
    busy: requestCode.busy,
    authId,
    async get() {
      // The next page shows when it will.
      if (sent && resendSecondsLeft(sent.at, Date.now()) > 0) return sent.authId;
      const result = await requestCode.send(email);
      if (result.ok) return result.data.authId;
      const isTooSoon = 'code' in result.failure && result.failure.code === apiCode.tooManyRequests;
      return isTooSoon ? authId : undefined;
    },
  };
}
