import type { TextLanguage } from '../../support/screens/texts.ts';
import { Route } from '../route.ts';

/** What a child member sees in the place of the pages that manage members and apps. */
export class PayerOnlyRoute extends Route {
  protected readonly path: string;
  protected readonly title = 'manage.childTitle';

  constructor(
    page: Route['page'],
    path: '/members' | '/members/add' | '/apps' | '/apps/create',
    language: TextLanguage = 'en',
  ) {
    super(page, language);
    this.path = path;
  }
}
