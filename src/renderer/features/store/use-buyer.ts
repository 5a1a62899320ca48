import type { User } from '#shared/entities.ts';
import { isMember } from '../session/is-member.ts';
import { useSession } from '../session/session-context.tsx';
import { useUser } from '../session/use-user.ts';
import type { StoreVisit } from './stored-visit.ts';
import type { HandOver } from './take-hand-over.ts';
import { useVisit, type Visit } from './use-visit.ts';

/** The account for which something is bought. */
export type Buyer =
  | { kind: 'guest' }
  /** The user who is signed in to this browser. */
  | { kind: 'account'; email: string; members: number }
  /** The user who came from an app. */
  | { kind: 'visit'; email: string; members: number; visit: string };

export type BuyerState =
  | { state: 'loading' }
  | { state: 'failed'; error: Error; retry: () => void }
  /** A member of somebody's plan, who cannot buy. */
  | { state: 'member' }
  /** Came from one account's app to a browser that is signed in to another account. */
  | { state: 'choice'; visit: StoreVisit; user: User }
  | { state: 'known'; buyer: Buyer };

export function useBuyer(handOver: HandOver, chosen: string | undefined) {
  const { signedIn } = useSession();
  const user = useUser({ enabled: signedIn });
  const { visit, end } = useVisit(handOver);
  const account: Account = signedIn ? user : 'nobody';
  return { buyer: buyerOf(visit, account, chosen), visit, endVisit: end };
}

type Account = 'nobody' | { data: User | undefined; error: Error | null; refetch: () => Promise<unknown> };

/** `chosen`: the email of the account that the user chose. */
function buyerOf(visit: Visit, account: Account, chosen: string | undefined): BuyerState {
  if (visit.state === 'opening') return { state: 'loading' };
  if (visit.state === 'failed' && visit.retry) {
    return { state: 'failed', error: visit.error, retry: visit.retry };
  }
  const came = visit.state === 'open' ? visit.visit : undefined;
  if (account === 'nobody') return { state: 'known', buyer: came ? visiting(came) : { kind: 'guest' } };
  const { data: user, error, refetch } = account;
  if (!user) return error ? { state: 'failed', error, retry: () => void refetch() } : { state: 'loading' };
  if (came && came.email !== user.email) {
    return chosen === came.email
      ? { state: 'known', buyer: visiting(came) }
      : { state: 'choice', visit: came, user };
  }
  return isMember(user)
    ? { state: 'member' }
    : { state: 'known', buyer: { kind: 'account', email: user.email, members: user.profile.members ?? 0 } };
}

const visiting = (visit: StoreVisit): Buyer => ({ kind: 'visit', ...visit });
