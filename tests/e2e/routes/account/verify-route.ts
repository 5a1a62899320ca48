import { expect } from 'playwright/test';
import { Route } from '../route.ts';

export class VerifyRoute extends Route {
  protected readonly path = '/auth-verify';
  protected readonly title = 'verify.title';

  readonly digits = this.named('textbox', 'verify.digit');
  readonly verifyButton = this.named('button', 'verify.submit');
  readonly incorrect = this.page.getByText(this.text('verify.incorrect'));
  /** No further try is left, or ten minutes are over. */
  readonly over = this.page.getByText(this.text('verify.over'));
  readonly resendIn = this.named('button', 'verify.resendIn');
  readonly resend = this.named('button', 'verify.resend');
  readonly resent = this.page.getByText(this.text('verify.resent'));
  readonly failed = this.page.getByText(this.text('error.verification'));
  readonly loginFailed = this.page.getByText(this.text('error.login'));
  readonly changeEmail = this.named('link', 'verify.changeEmail');
  readonly success = this.page.getByText(this.text('verify.success'));

  /** Types the code as at a keyboard, where the page has put the focus: the first box, also after a refusal. */
  async type(code: string): Promise<void> {
    await expect(this.digits.first()).toBeFocused();
    await this.page.keyboard.type(code);
  }

  /** Pastes into the box that has the focus. */
  async paste(text: string): Promise<void> {
    await this.page.evaluate((pasted) => {
      const clipboardData = new DataTransfer();
      clipboardData.setData('text/plain', pasted);
      const event = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true });
      document.activeElement?.dispatchEvent(event);
    }, text);
  }
}
