import type Electron from 'electron';

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
    return this.template.map((item) => entryOf(item));
  }
  /** The user chooses the item behind these labels, from the menu down to it. */
  choose(labels: readonly string[]): void {
    const [first, ...rest] = labels;
    const item = this.template.find((one) => entryOf(one).label === first);
    if (!item) throw new Error(`the menu has no ${first ?? 'item'}: ${JSON.stringify(this.entries())}`);
    if (item.enabled === false) throw new Error(`${first ?? ''} cannot be chosen`);
    if (rest.length > 0) submenuOf(item).choose(rest);
    else item.click?.({} as Electron.MenuItem, undefined, {});
  }
  static getApplicationMenu = (): Menu | null => Menu.application;
}

const submenuOf = ({ submenu }: Electron.MenuItemConstructorOptions): Menu =>
  Menu.buildFromTemplate(Array.isArray(submenu) ? submenu : []);

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
