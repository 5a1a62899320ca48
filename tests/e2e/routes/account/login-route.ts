import { Route } from '../route.ts';

export class LoginRoute extends Route {
  protected readonly path = '/login';
  protected readonly title = 'login.title';

  readonly email = this.named('textbox', 'login.email');
  readonly continueButton = this.named('button', 'login.continue');
  readonly haveCode = this.named('link', 'login.haveCode');
  readonly emailInvalid = this.page.getByText(this.text('login.emailInvalid'));
  readonly sendFailed = this.page.getByText(this.text('error.send'));
  /** While traffic is blocked for a tunnel, and what ends that. */
  readonly held = this.page.getByText(this.text('login.heldTitle'));
  readonly unblock = this.named('button', 'connect.unblock');
  readonly version = this.page.getByText(this.text('login.version'));

  async askForCode(email: string): Promise<void> {
    await this.reached();
    await this.email.fill(email);
    await this.continueButton.click();
  }
}
