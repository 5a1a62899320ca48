import type Electron from 'electron';

type Template = Electron.MenuItemConstructorOptions[];

/** Holds the application menu; nothing is drawn. */
export class Menu {
  private static application: Menu | null = null;
  readonly template: Template;

  private constructor(template: Template) {
    this.template = template;
  }
  static buildFromTemplate = (template: Template): Menu => new Menu(template);
  static setApplicationMenu = (menu: Menu | null): void => {
    Menu.application = menu;
  };
  static getApplicationMenu = (): Menu | null => Menu.application;
}
