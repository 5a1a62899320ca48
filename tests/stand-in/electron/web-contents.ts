import type Electron from 'electron';
import { host } from '../channel/app-side.ts';
import type { OpenContents } from './open-windows.ts';
import { originOf } from '../pages/scheme-origin.ts';
import { sessionOf } from './session.ts';
import type { FrameInfo, NavigationDetails, WindowEvent } from '../channel/process-contract.ts';
import { createEvent, StrictEmitter, strict } from './strict.ts';

type Implemented = Pick<
  Electron.WebContents,
  | 'id'
  | 'send'
  | 'loadURL'
  | 'getURL'
  | 'getTitle'
  | 'isDestroyed'
  | 'isLoading'
  | 'setWindowOpenHandler'
  | 'setZoomLevel'
  | 'getZoomLevel'
>;

type ImplementedFrame = Pick<Electron.WebFrameMain, 'url' | 'origin' | 'parent' | 'isDestroyed'>;

function createMainFrame(contents: WebContents): ImplementedFrame {
  return strict('WebFrameMain', {
    get url() {
      return contents.getURL();
    },
    get origin() {
      return originOf(contents.getURL());
    },
    parent: null,
    isDestroyed: () => contents.isDestroyed(),
  } satisfies ImplementedFrame);
}

export class WebContents extends StrictEmitter implements Implemented, OpenContents {
  readonly id: number;
  readonly partition: string | undefined;
  readonly session: ReturnType<typeof sessionOf>;
  readonly mainFrame: ImplementedFrame;
  private url = '';
  private title = '';
  private loading = false;
  private destroyed = false;
  private openHandler: Parameters<Electron.WebContents['setWindowOpenHandler']>[0] | undefined;
  private readonly opened: Promise<void>;

  constructor(id: number, partition: string | undefined, opened: Promise<void>) {
    super('webContents');
    this.id = id;
    this.partition = partition;
    this.session = sessionOf(partition);
    this.opened = opened;
    this.mainFrame = createMainFrame(this);
  }

  getURL = () => this.url;
  getTitle = () => this.title;
  isDestroyed = () => this.destroyed;
  isLoading = () => this.loading;

  send = (channel: string, ...args: unknown[]): void => {
    if (this.destroyed) throw new TypeError('Object has been destroyed');
    // Checked here, because Electron throws at the sender.
    structuredClone(args);
    void this.opened.then(() => host.deliver(this.id, channel, args)).catch(() => undefined);
  };

  loadURL = async (url: string): Promise<void> => {
    await this.opened;
    this.loading = true;
    await host.load(this.id, url);
  };

  setWindowOpenHandler = (handler: Parameters<Electron.WebContents['setWindowOpenHandler']>[0]): void => {
    this.openHandler = handler;
  };

  private zoomLevel = 0;
  /** Chromium's levels: each makes everything larger by a fifth. */
  setZoomLevel = (level: number): void => {
    this.zoomLevel = level;
    void this.opened.then(() => host.setZoom(this.id, 1.2 ** level)).catch(() => undefined);
  };
  getZoomLevel = () => this.zoomLevel;

  userRightClicks({ isEditable, selectionText }: { isEditable: boolean; selectionText: string }): void {
    const hasSelection = selectionText !== '';
    const editFlags = strict('editFlags', {
      canUndo: false,
      canRedo: false,
      canCut: isEditable && hasSelection,
      canCopy: hasSelection,
      canPaste: isEditable,
      canSelectAll: true,
    });
    this.emit('context-menu', createEvent({}), strict('params', { isEditable, selectionText, editFlags }));
  }

  frameOf(info: FrameInfo): object {
    if (!info.isMainFrame) throw new Error('stand-in: preloads run in main frames only');
    this.url = info.url;
    return this.mainFrame;
  }

  allowsNavigation({ url, isMainFrame }: NavigationDetails): boolean {
    const frame = isMainFrame ? this.mainFrame : null;
    const details = { url, isSameDocument: false, isMainFrame, frame, initiator: this.mainFrame };
    const anyFrame = createEvent(details);
    this.emit('will-frame-navigate', anyFrame);
    if (!isMainFrame || anyFrame.defaultPrevented) return !anyFrame.defaultPrevented;
    const mainFrame = createEvent(details);
    this.emit('will-navigate', mainFrame, url, false, true, 0, 0);
    return !mainFrame.defaultPrevented;
  }

  windowOpened({ url, frameName, features }: { url: string; frameName: string; features: string }): 'deny' {
    const response = this.openHandler?.({
      url,
      frameName,
      features,
      disposition: 'foreground-tab',
      referrer: { url: '', policy: 'no-referrer' },
    });
    if (response?.action !== 'deny') throw new Error('stand-in: windows opened by pages are not implemented');
    return 'deny';
  }

  receive(event: WindowEvent): void {
    switch (event.type) {
      case 'did-navigate':
        this.url = event.url;
        this.emit('did-navigate', createEvent({}), event.url, 200, 'OK');
        break;
      case 'did-navigate-in-page':
        this.url = event.url;
        this.emit('did-navigate-in-page', createEvent({}), event.url, true, 0, 0);
        break;
      case 'dom-ready':
        this.emit('dom-ready', createEvent({}));
        break;
      case 'did-finish-load':
        this.loading = false;
        this.emit('did-finish-load', createEvent({}));
        break;
      case 'page-title-updated':
        this.title = event.title;
        this.emit('page-title-updated', createEvent({}), event.title, true);
        break;
      case 'render-process-gone':
        this.emit('render-process-gone', createEvent({}), { reason: 'crashed', exitCode: 1 });
        break;
      case 'gone':
        this.destroy();
        break;
      default:
        event satisfies never;
    }
  }

  destroy(): void {
    if (this.destroyed) return;
    this.destroyed = true;
    this.emit('destroyed');
  }
}
