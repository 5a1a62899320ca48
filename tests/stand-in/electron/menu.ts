import type Electron from 'electron';
import { appSide } from '../channel/app-side.ts';

type Template = Electron.MenuItemConstructorOptions[];

/** An item as the user sees it. */
export interface MenuEntry {
  label: string;
  type: NonNullable<Electron.MenuItemConstructorOptions['type']>;
  enabled: boolean;
  checked: boolean;
  items: MenuEntry[];
}

/** Holds its items; nothing is drawn. */
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

  /** What the user sees. */
  entries(): MenuEntry[] {
    return this.template.filter(({ visible }) => visible !== false).map((item) => entryOf(item));
  }
  /** The user chooses the item behind these labels, from the menu down to it. */
  choose(labels: readonly string[]): void {
    const [first, ...rest] = labels;
    const item = this.template.find((one) => entryOf(one).label === first);
    if (!item) throw new Error(`the menu has no ${first ?? 'item'}: ${JSON.stringify(this.entries())}`);
    if (item.enabled === false) throw new Error(`${first ?? ''} cannot be chosen`);
    if (rest.length > 0) submenuOf(item).choose(rest);
    else if (item.click) item.click({} as Electron.MenuItem, undefined, {});
    else throw new Error(`stand-in: the role ${item.role ?? ''} is not implemented`);
  }
  /** The user presses these keys; the item that has them does what it is for. */
  press(accelerator: string): void {
    const item = this.withAccelerator(accelerator);
    if (!item) throw new Error(`the menu has no item for ${accelerator}`);
    if (!item.click) throw new Error(`stand-in: the role ${item.role ?? ''} is not implemented`);
    item.click({} as Electron.MenuItem, undefined, {});
  }
  private withAccelerator(accelerator: string): Template[number] | undefined {
    for (const item of this.template) {
      const isHidden = item.visible === false && !item.acceleratorWorksWhenHidden;
      if (item.accelerator === accelerator && !isHidden && item.enabled !== false) return item;
      const below = submenuOf(item).withAccelerator(accelerator);
      if (below) return below;
    }
    return undefined;
  }
  /** Beside the pointer, until the user chooses. */
  popup = (...given: unknown[]): void => {
    const { window, ...others } = (given[0] ?? {}) as Electron.PopupOptions;
    if (!window || Object.keys(others).length > 0) {
      throw new Error('stand-in: only menus of a window, beside the pointer, are implemented');
    }
    Menu.poppedUp = this;
  };
  static poppedUp: Menu | null = null;
  static getApplicationMenu = (): Menu | null => Menu.application;
}

const submenuOf = ({ submenu }: Electron.MenuItemConstructorOptions): Menu =>
  Menu.buildFromTemplate(Array.isArray(submenu) ? submenu : []);

appSide.menuShown = () => Menu.getApplicationMenu()?.entries() ?? null;
appSide.contextMenuShown = () => Menu.poppedUp?.entries() ?? null;
appSide.userChoosesInMenu = (labels) => {
  const menu = Menu.getApplicationMenu();
  if (!menu) throw new Error('the app has no menu');
  menu.choose(labels);
};
appSide.userPresses = (accelerator) => {
  const menu = Menu.getApplicationMenu();
  if (!menu) throw new Error('the app has no menu');
  menu.press(accelerator);
};

function entryOf(item: Electron.MenuItemConstructorOptions): MenuEntry {
  return {
    // A single ampersand is not shown; it underlines the letter behind it.
    label: (item.label ?? '').replaceAll(/&(.?)/g, '$1'),
    type: item.type ?? (item.submenu ? 'submenu' : 'normal'),
    enabled: item.enabled ?? true,
    checked: item.checked ?? false,
    items: submenuOf(item).entries(),
  };
}
