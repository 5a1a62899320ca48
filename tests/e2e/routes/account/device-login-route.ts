import { Route } from '../route.ts';

export class DeviceLoginRoute extends Route {
  protected readonly path = '/device-login';
  protected readonly title = 'deviceLogin.title';

  readonly failed = this.page.getByText(this.text('error.login'));
  /** The heading of what is shown then. */
  readonly failedHeading = this.named('heading', 'deviceLogin.failedTitle');
  readonly question = this.named('heading', 'deviceLogin.otherTitle');
  readonly signInInstead = this.named('button', 'deviceLogin.signInInstead');
  readonly stay = this.named('link', 'deviceLogin.stay');
  readonly retry = this.named('button', 'error.retry');
  readonly withEmail = this.named('link', 'deviceLogin.email');
}
