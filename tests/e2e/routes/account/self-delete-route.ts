import type { Locator } from 'playwright/test';
import type { TextKey } from '#shared/texts/texts.ts';
import { Route } from '../route.ts';

export class SelfDeleteRoute extends Route {
  protected readonly path = '/self-delete';
  protected readonly title = 'selfDelete.title';

  readonly currentStep = this.page.locator('[aria-current=step]');
  readonly continueButton = this.named('button', 'selfDelete.continue');
  readonly back = this.named('button', 'selfDelete.back');
  readonly keep = this.named('link', 'selfDelete.keep');
  readonly submit = this.named('button', 'selfDelete.submit');
  readonly success = this.page.getByText(this.text('selfDelete.success'));
  readonly failed = this.page.getByText(this.text('selfDelete.failed'));

  stepHeading(step: 'confirm' | 'warn' | 'final'): Locator {
    const key: TextKey = `selfDelete.${step}Title`;
    return this.page.getByRole('heading', { level: 2, name: this.text(key) });
  }

  says(key: Extract<TextKey, `selfDelete.${string}`>): Locator {
    return this.page.getByText(this.text(key));
  }
}
