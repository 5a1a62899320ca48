import type { Locator } from 'playwright/test';
import { ListRoute } from './list-route.ts';

export class MembersRoute extends ListRoute {
  protected readonly path = '/members';
  protected readonly title = 'section.members';

  readonly add = this.named('link', 'members.add');
  readonly empty = this.page.getByText(this.text('members.empty'));
  readonly added = this.page.getByText(this.text('members.added'));
  readonly removed = this.page.getByText(this.text('members.removed'));
  readonly confirm = this.dialog.getByRole('button', { name: this.text('members.remove') });

  readonly invited = this.page.getByText(this.text('members.invited'), { exact: true });
  readonly expired = this.page.getByText(this.text('members.expired'), { exact: true });
  readonly withdrawn = this.page.getByText(this.text('members.withdrawn'));
  readonly confirmWithdrawal = this.dialog.getByRole('button', { name: this.text('members.withdraw') });
  readonly inviteAgain = this.named('button', 'members.inviteNamed');
  readonly choosePlan = this.named('link', 'service.choose');

  withdraw(email: string): Locator {
    return this.row(email).getByRole('button', { name: this.text('members.withdrawNamed') });
  }

  remove(email: string): Locator {
    return this.row(email).getByRole('button', { name: this.text('members.removeNamed') });
  }

  seats(used: number, total: number): Locator {
    return this.page.getByText(`${used} of ${total} used`);
  }
}
