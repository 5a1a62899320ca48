import { Route } from '../route.ts';

export class ConfirmRoute extends Route {
  protected readonly path = '/pay/confirming';
  protected readonly title = 'confirm.success';

  readonly loading = this.named('heading', 'confirm.loading');
  readonly failed = this.named('heading', 'confirm.failed');
  readonly why = this.page.getByRole('main').getByRole('alert');
  readonly error = this.page.getByText(this.text('confirm.error'));
  readonly countdown = this.page.getByText(this.text('confirm.countdown'));
  readonly announced = this.page.getByText(this.text('confirm.announce'));
  readonly continueNow = this.named('link', 'confirm.continue');
  readonly checkAgain = this.named('button', 'confirm.retry');
  readonly payAgain = this.named('link', 'confirm.payAgain');
  readonly back = this.named('link', 'confirm.back');
  /** The success toast, beside the heading of the same words. */
  readonly successToast = this.page.locator('[aria-live=polite]').getByText(this.text('confirm.success'));
}
