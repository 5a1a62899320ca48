import { apiCode } from '#shared/api/result.ts';
import { useHost } from '../../platform/host-context.tsx';
import { isCodeOver, resendSecondsLeft, wasSentTo } from './sent-code.ts';
import { useRequestCode } from './use-request-code.ts';
import { readCodeSent } from './use-sent-code.ts';

interface CodeFor {
  busy: boolean;
  /**
   * Has a code mailed, unless the service would not send another one yet. `isAnyGood`: nor if the last one can still be
   * typed, however old it is. Resolves with the authId to verify with, or with undefined once the user was told why
   * there is none.
   */
  get(email: string, how?: { isAnyGood: boolean }): Promise<string | undefined>;
}

export function useCodeFor(): CodeFor {
  const host = useHost();
  const requestCode = useRequestCode();
  return {
    busy: requestCode.busy,
    async get(email, { isAnyGood } = { isAnyGood: false }) {
      const last = await readCodeSent(host);
      const now = Date.now();
      const sent = last && wasSentTo(last, email) ? last : undefined;
      const usable = sent && !isCodeOver(sent, now) ? sent.authId : undefined;
      if (isAnyGood && usable !== undefined) return usable;
      // The next page shows when it will.
      if (sent && resendSecondsLeft(sent.at, now) > 0) return sent.authId;
      const result = await requestCode.send(email);
      if (result.ok) return result.data.authId;
      const isTooSoon = 'code' in result.failure && result.failure.code === apiCode.tooManyRequests;
      return isTooSoon ? usable : undefined;
    },
  };
}
