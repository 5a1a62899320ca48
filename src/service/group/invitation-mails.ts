import type { Language } from '#shared/entities.ts';
import { and, eq } from 'drizzle-orm';
import type { Logger } from 'pino';
import { isOpenInvitation } from '../database/seat-counts.ts';
import type { Database } from '../database/database.ts';
import { users } from '../database/schema/account.ts';
import { invitations } from '../database/schema/group.ts';
import { jobNames } from '../jobs/job-names.ts';
import type { AddJob, Jobs } from '../jobs/jobs.ts';
import { describeError } from '../log.ts';
import type { Mailer } from '../mail/mailer.ts';

/** The mail for an invitation, in the language of the inviting person; nobody knows the language of the invited one. */
export interface InvitationMail {
  id: string;
  language: Language;
}

/**
 * Mails for invitations, sent by a job. So the answer to the inviting person does not wait for a mail server, which
 * would reveal something about the address, and the mail is not lost with the process. The list of members shows the
 * payer if a mail could not be sent.
 */
export async function openInvitationMails(options: {
  database: Database;
  jobs: Jobs;
  mailer: Mailer;
  /** Where the invited person can answer, if that is known. */
  pageUrl: string | undefined;
  now: () => Date;
  logger: Logger;
}): Promise<AddJob<InvitationMail>> {
  const { database, jobs, mailer, pageUrl, now, logger } = options;
  return jobs.queue<InvitationMail>(jobNames.invitationMails, async ({ id, language }) => {
    const [invitation] = await database
      .select({ to: invitations.email, from: users.email })
      .from(invitations)
      .innerJoin(users, eq(users.id, invitations.payerId))
      .where(and(eq(invitations.id, id), isOpenInvitation(now())));
    // It was answered or withdrawn before the mail was sent.
    if (!invitation) return;
    const result = await mailer.sendInvitation({ ...invitation, id, pageUrl, language });
    if (!result.ok) logger.warn(describeError(result.error), 'an invitation could not be mailed');
    await database.update(invitations).set({ mailFailed: !result.ok }).where(eq(invitations.id, id));
    if (!result.ok && result.reason === 'not-sent') throw new Error('to be sent again');
  });
}
