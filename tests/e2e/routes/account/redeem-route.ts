import { Route } from '../route.ts';

export class RedeemRoute extends Route {
  protected readonly path = '/x';
  protected readonly title = 'redeem.title';

  readonly key = this.named('textbox', 'redeem.key');
  readonly submit = this.named('button', 'redeem.submit');
  readonly required = this.page.getByText(this.text('redeem.required'));
  readonly success = this.page.getByText(this.text('redeem.success'));
  readonly failed = this.page.getByText(this.text('redeem.failed'));

  async redeem(key: string): Promise<void> {
    await this.key.fill(key);
    await this.submit.click();
  }
}
