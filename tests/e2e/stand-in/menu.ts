import type Electron from 'electron';
import { appSide } from './app-side.ts';

type Template = Electron.MenuItemConstructorOptions[];

/** Holds the application menu's labels; nothing is drawn. */
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

function labels(template: Template, above: string[] = []): string[] {
  return template.flatMap((item) => {
    const path = [...above, item.label ?? item.role ?? item.type ?? ''];
    return Array.isArray(item.submenu) ? labels(item.submenu, path) : [path.join(' > ')];
  });
}

appSide.menuLabels = () => labels(Menu.getApplicationMenu()?.template ?? []);
