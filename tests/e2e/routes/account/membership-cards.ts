import type { Locator } from 'playwright/test';
import { AccountRoute } from './account-route.ts';

/** What the account page shows to who is invited to a group, and to who is a member of one. */
export class MembershipCards extends AccountRoute {
  readonly invitation = this.named('region', 'membership.invitation');
  readonly accept = this.invitation.getByRole('button', { name: this.text('membership.accept') });
  readonly decline = this.invitation.getByRole('button', { name: this.text('membership.decline') });
  readonly accepted = this.page.getByText(this.text('membership.accepted'));
  readonly declined = this.page.getByText(this.text('membership.declined'));
  readonly membership = this.named('region', 'membership.title');
  readonly leave = this.membership.getByRole('button', { name: this.text('membership.leave') });
  readonly dialog = this.page.getByRole('dialog', { name: this.text('membership.leaveTitle') });
  readonly confirmLeaving = this.dialog.getByRole('button', { name: this.text('membership.leave') });
  readonly left = this.page.getByText(this.text('membership.left'));

  /** What the card says of who invites. */
  invitedBy(email: string): Locator {
    return this.invitation.getByText(`${email} invites you`);
  }
}
