import { siteOf } from '../http/trusted-proxies.ts';
import type { Bucket, Limiter } from '../limits/limiter.ts';

/** What sign-in's limits count by. `email` is in lower case. */
interface Asking {
  source: string;
  email: string;
  deviceId: string;
  isKnownDevice: boolean;
}

interface Trying extends Pick<Asking, 'source'> {
  /** Undefined if no code can be tried: then nothing can be guessed, and only the source's limit counts. */
  code: Pick<Asking, 'isKnownDevice'> | undefined;
}

/** Which limit is reached: that of the source, of the account, or the shared one. */
export type ReachedLimit = 'source' | 'account' | 'all';

/**
 * Limits on codes and on tries. They count by source first, so that one stranger cannot use up what belongs to an
 * account. Devices that the account knows have limits of their own, which no stranger can use up.
 */
export function signInLimits(limiter: Limiter) {
  /** Before the shared limit, so that one customer's many sources cannot use that up. */
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
    /** Takes one code. A known device that has used up its own codes counts as a new one. */
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

    /** For a code that was used or could not be mailed: whoever reads the account's mail can have another. */
    async putCodeBack(code: Pick<Asking, 'email' | 'isKnownDevice'>): Promise<void> {
      if (!code.isKnownDevice) await limiter.putBack(...ofAccountAndAll(code));
    },

    /** Takes one try, before the code is checked. */
    async takeGuess(trying: Trying): Promise<ReachedLimit | undefined> {
      const reached = await limiter.take(...guesses(trying));
      if (reached === undefined) return undefined;
      return reached === 'guessesInAll' || reached === 'knownGuessesInAll' ? 'all' : 'source';
    },

    /** For a correct try, which was not a guess. */
    putGuessBack: (trying: Trying): Promise<void> => limiter.putBack(...guesses(trying)),
  };
}
