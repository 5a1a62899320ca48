import { Route } from '../route.ts';

/** The page that confirms payments, for one that is not confirmed. */
export class NotConfirmedRoute extends Route {
  protected readonly path = '/pay/confirming';
  protected readonly title = 'confirm.failed';
}
