import { Route } from '../route.ts';

export class NotFoundRoute extends Route {
  protected readonly path = '/no/such/page';
  protected readonly title = 'notFound.title';

  readonly backHome = this.named('link', 'notFound.back');
}
