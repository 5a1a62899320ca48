import type { Locator } from 'playwright/test';
import type { MiniAppType } from '../../../../src/shared/entities.ts';
import { miniAppTypeTexts } from '../../../../src/renderer/features/manage-mini-apps/mini-app-types.ts';
import { texts } from '../../support/screens/texts.ts';
import { Route } from '../route.ts';

/** The fields of a mini-app, wherever they stand. */
abstract class MiniAppFormRoute extends Route {
  readonly name = this.named('textbox', 'appForm.name');
  readonly link = this.named('textbox', 'appForm.link');
  readonly priority = this.named('textbox', 'appForm.priority');
  readonly label = this.named('textbox', 'appForm.labels');
  readonly labels = this.named('list', 'appForm.labels').getByRole('listitem');
  readonly nameMissing = this.page.getByText(this.text('appForm.nameMissing'));
  readonly linkInvalid = this.page.getByText(this.text('appForm.linkInvalid'));
  readonly priorityRange = this.page.getByText(this.text('appForm.priorityRange'));
  readonly failed = this.page.getByText(this.text('error.appSave'));
  readonly icon = this.named('group', 'appForm.icon');
  readonly removeIcon = this.named('button', 'appForm.iconRemove');
  readonly iconUnreadable = this.page.getByText(this.text('appForm.iconUnreadable'));
  readonly cropDialog = this.named('dialog', 'crop.title');
  readonly cropArea = this.named('group', 'crop.area');
  readonly zoom = this.named('slider', 'crop.zoom');
  readonly usePicture = this.named('button', 'crop.use');

  type(type: MiniAppType): Locator {
    const key = miniAppTypeTexts[type].name;
    return this.page.getByRole('radio', { name: texts[this.language][key] });
  }

  /** Picks a file as a person does, with the browser's own dialog. */
  async pickIcon(file: { name: string; mimeType: string; buffer: Buffer }): Promise<void> {
    const chooser = this.page.waitForEvent('filechooser');
    await this.icon.getByRole('button').first().click();
    await (await chooser).setFiles(file);
  }
}

export class CreateMiniAppRoute extends MiniAppFormRoute {
  protected readonly path = '/apps/create';
  protected readonly title = 'appForm.createTitle';

  readonly save = this.named('button', 'appForm.create');
}

export class EditMiniAppRoute extends MiniAppFormRoute {
  protected readonly path = '/apps';
  protected readonly title = 'appForm.editTitle';

  readonly save = this.named('button', 'appForm.save');
  readonly unknown = this.page.getByText(this.text('appForm.unknown'));
  readonly back = this.page.getByRole('main').getByRole('link', { name: this.text('appForm.back') });
}
