import type { KeyObject } from 'node:crypto';
import { compareVersions } from '#node/manifest/manifest.ts';
import { judgeSignatures } from '#node/manifest/signatures.ts';
import { feedFile, maxFeedBytes, readFeed, splitFeed, type UpdateFeed } from '#node/manifest/update-feed.ts';
import type { ServiceFetch } from '../http-fetch.ts';
import { isInRollout } from './staged-rollout.ts';

/** Why there is no answer to whether there is an update. */
export type FeedProblem =
  | 'unreachable'
  /** What is there is not a feed, or no trusted key has signed it. */
  | 'untrusted'
  /** It is signed for another product, system or processor. */
  | 'other-product'
  /** A later feed was seen before: somebody offers an old one again. */
  | 'replayed';

export type FoundUpdate =
  | { kind: 'current' }
  /** There is one, which is offered to others first, or has been withdrawn: then nobody gets it. */
  | { kind: 'later'; version: string; isWithdrawn?: true }
  | { kind: 'update'; feed: UpdateFeed }
  | { kind: 'problem'; problem: FeedProblem };

export interface UpdateSource {
  /** The folder with the feed, with a slash at its end. */
  url: string;
  /** See `feedProduct`. */
  product: string;
  trusted: readonly KeyObject[];
  /** The version that is installed. */
  version: string;
  /** Different for each installation, and always the same for one. */
  installation: string;
  fetch: Pick<ServiceFetch, 'short' | 'stream'>;
  /** When the latest feed that was seen was made (ISO 8601), and how it is remembered. */
  seen: { get(): string | undefined; set(releaseDate: string): void };
}

/**
 * Asks for the feed. With `isWanted`, somebody waits for an update, and gets one before their turn, unless it was
 * withdrawn.
 */
export async function findUpdate(source: UpdateSource, { isWanted = false } = {}): Promise<FoundUpdate> {
  const content = await fetchFeed(source);
  if (content === undefined) return failed('unreachable');
  const parts = splitFeed(content);
  if (!parts) return failed('untrusted');
  const { text, signatures } = parts;
  if (judgeSignatures(Buffer.from(text), 'feed', signatures, source.trusted) !== 'good')
    return failed('untrusted');
  const feed = readFeed(text);
  if (!feed) return failed('untrusted');
  if (feed.product !== source.product) return failed('other-product');
  const { version, releaseDate, stagingPercentage = 100 } = feed;
  const seen = source.seen.get();
  if (seen !== undefined && Date.parse(releaseDate) < Date.parse(seen)) return failed('replayed');
  source.seen.set(releaseDate);
  if (compareVersions(version, source.version) <= 0) return { kind: 'current' };
  if (stagingPercentage === 0) return { kind: 'later', version, isWithdrawn: true };
  const isOurTurn = isInRollout(source.installation, { version, percent: stagingPercentage });
  return isOurTurn || isWanted ? { kind: 'update', feed } : { kind: 'later', version };
}

const failed = (problem: FeedProblem): FoundUpdate => ({ kind: 'problem', problem });

async function fetchFeed({ url, fetch }: UpdateSource): Promise<string | undefined> {
  try {
    const request = { method: 'GET', headers: { 'cache-control': 'no-cache' } };
    const answer = await fetch.short(new URL(feedFile, url).href, request, maxFeedBytes);
    return answer.status === 200 ? answer.text : undefined;
  } catch {
    return undefined;
  }
}
