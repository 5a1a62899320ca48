import { Route } from './route.ts';

export class DeviceLoginRoute extends Route {
  protected readonly path = '/device-login';
  protected readonly title = 'deviceLogin.title';

  readonly failed = this.page.getByText(this.text('error.login'));
  readonly retry = this.named('button', 'error.retry');
  readonly withEmail = this.named('link', 'deviceLogin.email');
}
