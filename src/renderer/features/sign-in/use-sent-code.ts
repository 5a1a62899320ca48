import { useEffect, useState } from 'react';
import type { Host } from '#shared/host/contract.ts';
import { useHost } from '../../platform/host-context.tsx';
import { storageKeys } from '../../platform/storage/storage-keys.ts';
import { readSentCode, wasSentTo, writeSentCode, type SentCode } from './sent-code.ts';

export async function readCodeSent({ storage }: Pick<Host, 'storage'>): Promise<SentCode | undefined> {
  return readSentCode(await storage.get(storageKeys.codeSent).catch(() => null), Date.now());
}

/** The code that was mailed last, if it is stored. */
export function useSentCode(): SentCode | undefined {
  const host = useHost();
  const [sent, setSent] = useState<SentCode>();
  useEffect(() => {
    void readCodeSent(host).then(setSent);
  }, [host]);
  return sent;
}

interface CodeInUse {
  sent: SentCode;
  /** A wrong code was typed. */
  countWrong: () => void;
  /** The code was correct; nothing should lead back to it. */
  forget: () => void;
}

/** The code that is being typed. Without a stored record, it counts as sent when the page was opened. */
export function useCodeInUse(email: string, authId: string): CodeInUse {
  const host = useHost();
  const kept = useSentCode();
  const [openedAt] = useState(() => Date.now());
  const [wrongHere, setWrongHere] = useState(0);
  const sent =
    kept && wasSentTo(kept, email)
      ? { ...kept, authId, wrong: (kept.authId === authId ? kept.wrong : 0) + wrongHere }
      : { email, authId, at: openedAt, wrong: wrongHere };
  return {
    sent,
    countWrong() {
      setWrongHere(wrongHere + 1);
      const value = writeSentCode({ ...sent, wrong: sent.wrong + 1 });
      // If this fails, the next visit counts again, and the service has its own count.
      void host.storage.set({ key: storageKeys.codeSent, value }).catch(() => false);
    },
    forget() {
      void host.storage.remove(storageKeys.codeSent).catch(() => false);
    },
  };
}
