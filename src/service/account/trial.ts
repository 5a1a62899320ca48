import { disposableEmailBlocklistSet } from 'disposable-email-domains-js';
import type { Database } from '../database/database.ts';
import { trialsGiven } from '../database/schema/account.ts';
import type { KeyedHash } from '../http/keyed-hash.ts';

interface Claim {
  /** In lower case. */
  email: string;
  hash: KeyedHash;
  now: Date;
}

/**
 * Whether a new account gets a trial. Each person gets one, as far as an email address identifies a person: deleting
 * the account and coming back, or another spelling of the same mailbox, does not give a second one, and disposable
 * mailboxes get none.
 */
export async function claimTrial(database: Database, claim: Claim): Promise<boolean> {
  return !isDisposable(claim.email) && (await rememberTrial(database, claim));
}

/** Remembers, by a keyed hash, that this person has had a trial; false if that was already known. */
export async function rememberTrial(database: Database, { email, hash, now }: Claim): Promise<boolean> {
  const remembered = await database
    .insert(trialsGiven)
    .values({ person: hash('trials', mailboxOf(email)), givenAt: now })
    .onConflictDoNothing()
    .returning({ person: trialsGiven.person });
  return remembered.length > 0;
}

/**
 * The mailbox behind an address: Gmail ignores dots and has two domains. (Tags, as in `name+tag`, are not valid email
 * addresses here.)
 */
function mailboxOf(email: string): string {
  const at = email.lastIndexOf('@');
  const name = email.slice(0, at);
  const domain = email.slice(at + 1);
  const isGmail = domain === 'gmail.com' || domain === 'googlemail.com';
  return isGmail ? `${name.replaceAll('.', '')}@gmail.com` : `${name}@${domain}`;
}

/** Made once: the package makes a set of all its domains at each question, which holds up whoever else asks. */
const disposableDomains = disposableEmailBlocklistSet();

/** Some disposable services give each visitor a subdomain. */
function isDisposable(email: string): boolean {
  const labels = email.slice(email.lastIndexOf('@') + 1).split('.');
  return labels.some((_, i) => disposableDomains.has(labels.slice(i).join('.')));
}
