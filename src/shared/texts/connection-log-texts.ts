import type { ConnectionEvent, LossCause } from '../tunnel/connection-log.ts';
import type { TextKey } from './texts.ts';
import { problemText, reasonTexts } from './tunnel-texts.ts';

const lossTexts: Record<LossCause, TextKey> = {
  asleep: 'connectionLog.asleep',
  'wifi-gone': 'connectionLog.wifiGone',
  'network-gone': 'connectionLog.networkGone',
  'network-changed': 'connectionLog.networkChanged',
  'server-ended': 'connectionLog.serverEnded',
  'server-silent': 'connectionLog.serverSilent',
};

interface EventText {
  title: TextKey;
  values?: Readonly<Record<string, string>>;
  /** What the event means, or what the user can do about it. */
  text?: TextKey | undefined;
  tone: 'good' | 'warn' | 'bad' | 'plain';
}

/** What happened to the connection, in words. */
export function eventText(event: ConnectionEvent): EventText {
  switch (event.kind) {
    case 'connected':
      return { title: 'connectionLog.connected', values: { server: event.server }, tone: 'good' };
    case 'lost':
      return { title: lossTexts[event.cause], tone: 'warn' };
    case 'impaired':
      return { ...problemText(event.problem), text: undefined, tone: 'warn' };
    case 'repaired':
      return { title: 'connectionLog.repaired', tone: 'good' };
    case 'ended': {
      if (event.reason === undefined) return { title: 'connectionLog.disconnected', tone: 'plain' };
      const { title, text, tone } = reasonTexts[event.reason];
      return { title, text, tone: tone === 'info' ? 'plain' : 'bad' };
    }
    case 'blocked':
      return { title: 'connect.blocked', tone: 'bad' };
    case 'unblocked':
      return { title: 'connectionLog.unblocked', tone: 'plain' };
    default:
      return event satisfies never;
  }
}

/** An event in one line of text, wherever it is copied or printed. */
export const eventLine = (title: string, text: string | undefined): string =>
  text === undefined ? title : `${title} – ${text}`;
