import type { Locator, Page } from 'playwright/test';
import type { TextKey } from '#shared/texts/texts.ts';
import { textPattern, type TextLanguage } from '../support/screens/texts.ts';

type Role = Parameters<Page['getByRole']>[0];

/** A screen, found by what its user can perceive: roles and names in the user's language. */
export abstract class Route {
  readonly page: Page;
  readonly language: TextLanguage;
  protected abstract readonly path: string;
  protected abstract readonly title: TextKey;

  constructor(page: Page, language: TextLanguage = 'en') {
    this.page = page;
    this.language = language;
  }

  /** Goes there as if by typing the address. */
  async open(query = ''): Promise<void> {
    const { protocol, host } = new URL(this.page.url());
    await this.page.goto(`${protocol}//${host}${this.path}${query}`);
  }

  /** Waits until the address is this one, which the browser tells at once; what is shown has to be asked for. */
  async reached(): Promise<void> {
    await this.page.waitForURL(({ pathname }) => pathname === this.path);
  }

  /** Goes there without reloading the page, as links do. */
  async follow(query = ''): Promise<void> {
    await this.page.evaluate((address) => {
      history.pushState(null, '', address);
      dispatchEvent(new PopStateEvent('popstate'));
    }, this.path + query);
  }

  get heading(): Locator {
    return this.page.getByRole('heading', { level: 1, name: this.text(this.title) });
  }

  /** The value beside a name in a list of facts. */
  protected valueOf(name: string | RegExp): Locator {
    const pair = this.page
      .locator('dl > div')
      .filter({ has: this.page.getByRole('term').filter({ hasText: name }) });
    return pair.getByRole('definition');
  }

  protected text(key: TextKey): RegExp {
    return textPattern(this.language, key);
  }

  protected named(role: Role, key: TextKey): Locator {
    return this.page.getByRole(role, { name: role === 'link' ? this.linkName(key) : this.text(key) });
  }

  /** The name of a link, which may say as well that it opens another window. */
  protected linkName(key: TextKey): RegExp {
    const [name, suffix] = [this.text(key), this.text('shell.newWindow')].map(({ source }) =>
      source.slice(1, -1),
    );
    return new RegExp(`^${name}(?: ?${suffix})?$`);
  }
}
