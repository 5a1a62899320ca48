import type Electron from 'electron';
import { appSide } from './app-side.ts';
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

/** Errors are lines on the error stream, like those of Electron on Linux before it is ready; boxes wait for an answer. */
export const dialog = strict('dialog', {
  showErrorBox: (title, content) => console.error(`${title}: ${content}`),
  showMessageBox,
} satisfies Pick<Electron.Dialog, 'showErrorBox' | 'showMessageBox'>);

appSide.messageBox = () => {
  const { message, detail = '', buttons = [] } = boxes[0]?.options ?? {};
  return message === undefined ? null : { message, detail, buttons };
};
appSide.userAnswers = (button) => {
  const [box] = boxes;
  const index = box?.options.buttons?.indexOf(button) ?? -1;
  if (!box || index < 0) throw new Error(`no message box has a button ${button}`);
  box.answer(index);
};
