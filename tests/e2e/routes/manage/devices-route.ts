import type { Locator } from 'playwright/test';
import { ListRoute } from './list-route.ts';

export class DevicesRoute extends ListRoute {
  protected readonly path = '/devices';
  protected readonly title = 'section.devices';

  readonly current = this.page.getByText(this.text('devices.current'));
  readonly revoked = this.page.getByText(this.text('devices.revoked'));
  readonly confirm = this.dialog.getByRole('button', { name: this.text('devices.revoke') });
  readonly losesThisDevice = this.dialog.getByText(this.text('devices.confirmCurrent'));

  readonly revokeAll = this.page
    .getByRole('main')
    .getByRole('button', { name: this.text('devices.revokeAll') });
  readonly confirmAll = this.dialog.getByRole('button', { name: this.text('devices.revokeAll') });

  revoke(name: string): Locator {
    return this.row(name).getByRole('button', { name: this.text('devices.revokeNamed') });
  }
}
