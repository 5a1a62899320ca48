import { useEffect, useState } from 'react';
import { useLocation } from 'react-router-dom';
import { apiCode } from '#shared/api/result.ts';
import { refusalCode } from '../../api/api-failure.ts';
import { useApiMutation } from '../../api/use-api-mutation.ts';
import { useOnArrival } from '../../ui/use-on-arrival.ts';
import { keepVisit, readVisit, type StoreVisit } from './stored-visit.ts';
import { useSession } from '../session/session-context.tsx';
import { handOverPrefix, type HandOver } from './take-hand-over.ts';

export type Visit =
  | { state: 'none' }
  | { state: 'opening' }
  /** It is not known who came from an app; `retry` is set if that may change. */
  | { state: 'failed'; error: Error; retry: (() => void) | undefined }
  | { state: 'open'; visit: StoreVisit };

/** This tab's visit, opened by the link with which the page was reached. `end` deletes it. */
export function useVisit(handOver: HandOver): { visit: Visit; end: () => void } {
  const { hash } = useLocation();
  const { signedIn } = useSession();
  const open = useApiMutation('openStoreVisit');
  const [now, setNow] = useState<Visit>(() => {
    const visit = readVisit();
    return visit ? { state: 'open', visit } : { state: 'none' };
  });

  const end = () => {
    keepVisit(undefined);
    setNow({ state: 'none' });
  };
  // A user who signs in or out is another person, or has another way to buy. (The session's end deletes what is stored,
  // main.tsx.)
  const [wasSignedIn, setWasSignedIn] = useState(signedIn);
  if (signedIn !== wasSignedIn) {
    setWasSignedIn(signedIn);
    setNow({ state: 'none' });
  }
  const openWith = async (code: string) => {
    // This is another visitor than before, even if it is not known who.
    keepVisit(undefined);
    setNow({ state: 'opening' });
    try {
      const visit = await open.mutateAsync({ body: { code } });
      keepVisit(visit);
      setNow({ state: 'open', visit });
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      const isFinal = [apiCode.notFound, apiCode.invalid].some((no) => no === refusalCode(error));
      const retry = isFinal ? undefined : () => void openWith(code);
      setNow({ state: 'failed', error, retry });
    }
  };
  useOnArrival(() => {
    const code = handOver.take();
    if (code !== undefined) void openWith(code);
  });
  // Opening such a link in this tab only changes the part after `#`.
  useEffect(() => {
    if (hash.startsWith(handOverPrefix)) location.reload();
  }, [hash]);
  return { visit: now, end };
}
