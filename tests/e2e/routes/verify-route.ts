import { Route } from './route.ts';

export class VerifyRoute extends Route {
  protected readonly path = '/auth-verify';
  protected readonly title = 'verify.title';

  readonly digits = this.named('textbox', 'verify.digit');
  readonly verifyButton = this.named('button', 'verify.submit');
  readonly incorrect = this.page.getByText(this.text('verify.incorrect'));
  readonly resendIn = this.named('button', 'verify.resendIn');
  readonly resend = this.named('button', 'verify.resend');
  readonly success = this.page.getByText(this.text('verify.success'));

  /** Types the code as at a keyboard, from the first box on. */
  async type(code: string): Promise<void> {
    await this.digits.first().click();
    await this.page.keyboard.type(code);
  }
}
