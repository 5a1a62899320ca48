import type Electron from 'electron';
import { appSide } from '../channel/app-side.ts';
import { strict } from './strict.ts';

interface OpenBox {
  options: Electron.MessageBoxOptions;
  answer(index: number): void;
}

const boxes: OpenBox[] = [];

function showMessageBox(...given: unknown[]): Promise<Electron.MessageBoxReturnValue> {
  if (given.length > 1) throw new Error('stand-in: message boxes of a window are not implemented');
  const options = given[0] as Electron.MessageBoxOptions;
  return new Promise((resolve) => {
    const box = {
      options,
      answer(response: number) {
        boxes.splice(boxes.indexOf(box), 1);
        resolve({ response, checkboxChecked: false });
      },
    };
    boxes.push(box);
  });
}

interface OpenSaveDialog {
  suggested: string;
  choose(file: string | undefined): void;
}

const saveDialogs: OpenSaveDialog[] = [];

function showSaveDialog(...given: unknown[]): Promise<Electron.SaveDialogReturnValue> {
  if (given.length > 1) throw new Error('stand-in: save dialogs of a window are not implemented');
  const { defaultPath = '' } = given[0] as Electron.SaveDialogOptions;
  return new Promise((resolve) => {
    const open = {
      suggested: defaultPath,
      choose(file: string | undefined) {
        saveDialogs.splice(saveDialogs.indexOf(open), 1);
        resolve({ canceled: file === undefined, filePath: file ?? '' });
      },
    };
    saveDialogs.push(open);
  });
}

/**
 * Errors are lines on the error stream, like those of Electron on Linux before it is ready; boxes wait for an answer.
 */
export const dialog = strict('dialog', {
  showErrorBox: (title, content) => console.error(`${title}: ${content}`),
  showMessageBox,
  showSaveDialog,
} satisfies Pick<Electron.Dialog, 'showErrorBox' | 'showMessageBox' | 'showSaveDialog'>);

appSide.messageBox = () => {
  const { message, detail = '', buttons = [] } = boxes[0]?.options ?? {};
  return message === undefined ? null : { message, detail, buttons };
};
appSide.saveDialog = () => saveDialogs[0]?.suggested ?? null;
appSide.userChoosesFile = (file) => {
  const [open] = saveDialogs;
  if (!open) throw new Error('nothing asks for a file');
  open.choose(file ?? undefined);
};
appSide.userAnswers = (button) => {
  const [box] = boxes;
  const index = box?.options.buttons?.indexOf(button) ?? -1;
  if (!box || index < 0) throw new Error(`no message box has a button ${button}`);
  box.answer(index);
};
