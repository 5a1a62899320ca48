import { Route } from '../route.ts';

export class LicencesRoute extends Route {
  protected readonly path = '/settings/licences';
  protected readonly title = 'settings.licences';
}
