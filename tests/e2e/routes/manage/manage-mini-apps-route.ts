import type { Locator } from 'playwright/test';
import { ListRoute } from './list-route.ts';

export class ManageMiniAppsRoute extends ListRoute {
  protected readonly path = '/apps';
  protected readonly title = 'section.apps';

  readonly create = this.named('link', 'apps.add');
  readonly empty = this.page.getByText(this.text('apps.empty'));
  readonly created = this.page.getByText(this.text('appForm.created'));
  readonly updated = this.page.getByText(this.text('appForm.updated'));
  readonly deleted = this.page.getByText(this.text('apps.deleted'));
  readonly confirm = this.dialog.getByRole('button', { name: this.text('apps.delete') });

  edit(name: string): Locator {
    return this.row(name).getByRole('link', { name: this.text('apps.editNamed') });
  }

  delete(name: string): Locator {
    return this.row(name).getByRole('button', { name: this.text('apps.deleteNamed') });
  }
}
