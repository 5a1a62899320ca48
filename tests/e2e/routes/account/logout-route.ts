import { Route } from '../route.ts';

export class LogoutRoute extends Route {
  protected readonly path = '/logout';
  protected readonly title = 'logout.title';

  readonly confirm = this.named('button', 'logout.confirm');
  readonly stay = this.named('link', 'logout.cancel');
}
