import type { WindowEvent, FrameInfo, NavigationDetails } from '../channel/process-contract.ts';

/** What the double's other modules need of a window; `browser-window.ts` makes them. */
export interface OpenWindow {
  readonly id: number;
  /** False if the app kept it open. */
  closeAndWait(): Promise<boolean>;
  receive(event: WindowEvent): void;
  readonly webContents: OpenContents;
}

export interface OpenContents {
  readonly partition: string | undefined;
  frameOf(info: FrameInfo): object;
  allowsNavigation(details: NavigationDetails): boolean;
  windowOpened(details: { url: string; frameName: string; features: string }): 'deny';
}

const windows = new Map<number, OpenWindow>();

export const openWindows = (): OpenWindow[] => [...windows.values()];
export const openWindow = (id: number): OpenWindow | undefined => windows.get(id);
export const rememberWindow = (window: OpenWindow): void => {
  windows.set(window.id, window);
};
export const forgetWindow = (id: number): void => {
  windows.delete(id);
};
