import { siteOf } from '../http/trusted-proxies.ts';
import type { Bucket, Limiter } from '../limits/limiter.ts';

/** Whom sign-in's limits count by. `email` is in lower case. */
interface Asking {
  source: string;
  email: string;
  deviceId: string;
  isKnownDevice: boolean;
}

interface Trying extends Pick<Asking, 'source'> {
  /** Undefined if there is none that can be tried: then nothing can be guessed, and nobody else's limit is touched. */
  code: Pick<Asking, 'isKnownDevice'> | undefined;
}

/** Which limit is reached: of the source that asks, of the account, or of all together. */
export type ReachedLimit = 'source' | 'account' | 'all';

/**
 * The limits on codes and on tries of them. They fall on the source first, so that one stranger cannot use up what an
 * account has; and a device that the account knows has limits of its own, so that no stranger can use up those.
 */
export function signInLimits(limiter: Limiter) {
  /** Before what all have together, which one customer's many sources are not to spend. */
  const ofSite = (limit: Bucket['limit'], source: string): Bucket[] => {
    const site = siteOf(source);
    return site === undefined ? [] : [{ limit, of: [site] }];
  };
  const ofKnownDevice = ({ email, deviceId }: Asking): Bucket => ({
    limit: 'codesPerKnownDevice',
    of: [email, deviceId],
  });
  const ofAccountAndAll = ({ email }: Pick<Asking, 'email'>): Bucket[] => [
    { limit: 'codesPerAccount', of: [email] },
    { limit: 'codesInAll', of: [] },
  ];
  const guesses = ({ source, code }: Trying): Bucket[] => {
    if (code?.isKnownDevice) {
      return [
        { limit: 'knownGuessesPerSource', of: [source] },
        ...ofSite('knownGuessesPerSite', source),
        { limit: 'knownGuessesInAll', of: [] },
      ];
    }
    const ofSource: Bucket = { limit: 'guessesPerSource', of: [source] };
    if (!code) return [ofSource];
    return [ofSource, ...ofSite('guessesPerSite', source), { limit: 'guessesInAll', of: [] }];
  };
  return {
    /** Takes one code. A known device that has spent its own is one more stranger. */
    async takeCode(asking: Asking): Promise<ReachedLimit | undefined> {
      if (asking.isKnownDevice && !(await limiter.take(ofKnownDevice(asking)))) return undefined;
      const { source, email } = asking;
      const reached = await limiter.take(
        { limit: 'codesPerSource', of: [source] },
        { limit: 'codesPerSourceAndAccount', of: [source, email] },
        ...ofSite('codesPerSite', source),
        ...ofAccountAndAll(asking),
      );
      if (reached === undefined) return undefined;
      if (reached === 'codesPerAccount') return 'account';
      return reached === 'codesInAll' ? 'all' : 'source';
    },

    /** For a code that was used, or never mailed: whoever reads the account's mail can have the next. */
    async putCodeBack(code: Pick<Asking, 'email' | 'isKnownDevice'>): Promise<void> {
      if (!code.isKnownDevice) await limiter.putBack(...ofAccountAndAll(code));
    },

    /** Takes one try at a code before it is looked at. */
    async takeGuess(trying: Trying): Promise<ReachedLimit | undefined> {
      const reached = await limiter.take(...guesses(trying));
      if (reached === undefined) return undefined;
      return reached === 'guessesInAll' || reached === 'knownGuessesInAll' ? 'all' : 'source';
    },

    /** For a try that was right, and so no guess. */
    putGuessBack: (trying: Trying): Promise<void> => limiter.putBack(...guesses(trying)),
  };
}
