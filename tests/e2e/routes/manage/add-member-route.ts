import { Route } from '../route.ts';

export class AddMemberRoute extends Route {
  protected readonly path = '/members/add';
  protected readonly title = 'members.addTitle';

  readonly email = this.named('textbox', 'members.email');
  readonly add = this.named('button', 'members.add');
  readonly missing = this.page.getByText(this.text('members.emailMissing'));
  readonly invalid = this.page.getByText(this.text('login.emailInvalid'));
  readonly failed = this.page.getByText(this.text('error.memberAdd'));
}
