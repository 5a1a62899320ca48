import type Electron from 'electron';
import { appSide } from '../channel/app-side.ts';
import { createEvent, StrictEmitter } from './strict.ts';

type Implemented = Pick<Electron.Notification, 'show' | 'close' | 'title' | 'body'>;

const shown: Notification[] = [];

/** Those that were shown are kept for who asks, and clicks come from there. */
export class Notification extends StrictEmitter implements Implemented {
  readonly title: string;
  readonly body: string;

  constructor({ title = '', body = '', ...others }: Electron.NotificationConstructorOptions = {}) {
    super('Notification');
    const [unknown] = Object.keys(others);
    if (unknown !== undefined) throw new Error(`stand-in: notifications with ${unknown} are not implemented`);
    this.title = title;
    this.body = body;
  }
  static isSupported = (): boolean => true;
  show = (): void => {
    shown.push(this);
    this.emit('show', createEvent({}));
  };
  close = (): void => {
    this.emit('close', createEvent({}));
  };
}

appSide.notificationsShown = () => shown.map(({ title, body }) => ({ title, body }));
appSide.userClicksNotification = (index) => void shown[index]?.emit('click', createEvent({}));
