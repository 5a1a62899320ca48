import { Menu, type BrowserWindow } from 'electron';
import type { Say } from '#shared/texts/say.ts';
import { editItems } from './app-menu.ts';

/** A right click on a text field or selected text opens a menu with text actions. */
export function offerFieldMenu(window: BrowserWindow, say: Say): void {
  window.webContents.on('context-menu', (_event, { isEditable, selectionText, editFlags }) => {
    if (!isEditable && selectionText.trim() === '') return;
    const can: Readonly<Record<string, boolean>> = {
      undo: editFlags.canUndo,
      redo: editFlags.canRedo,
      cut: editFlags.canCut,
      copy: editFlags.canCopy,
      paste: editFlags.canPaste,
      selectAll: editFlags.canSelectAll,
    };
    const items = isEditable ? editItems(say) : editItems(say).filter(({ role }) => role === 'copy');
    Menu.buildFromTemplate(
      items.map((item) => (item.role ? { ...item, enabled: can[item.role] ?? true } : item)),
    ).popup({ window });
  });
}
