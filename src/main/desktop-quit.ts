import type { Say } from '#shared/texts/say.ts';
import type { Core } from './core.ts';
import { withTimeout } from './with-timeout.ts';
import { quitting, type Quitting } from './window/quitting.ts';

/** A message box with buttons, the last of which is what Escape chooses. */
export interface Question {
  title: string;
  text: string;
  buttons: string[];
  /** What Enter chooses; the first if absent. */
  usual?: number;
}

export interface QuitOptions {
  core: Core;
  say: Say;
  /** Resolves to the index of the button that was chosen. */
  ask: (question: Question) => Promise<number>;
  /** Ends the app. */
  leave: () => void;
}

/** A helper that does not answer keeps nobody from quitting. */
const disconnectMs = 5000;

/** What the user's quitting does; an app that the system ends, or that crashes, leaves the tunnel to the helper. */
export function createQuit({ core, say, ask, leave }: QuitOptions): () => Promise<void> {
  let isQuitting = false;

  async function choose(): Promise<Quitting | 'stay-open'> {
    const plan = quitting({
      state: core.tunnel.state(),
      killSwitch: core.preferences.get().killSwitch,
      wanted: core.behaviour.get().onQuit,
    });
    if ('does' in plan) return plan.does;
    const { title, text, choices } = plan.asks;
    const buttons = choices.map((choice) => say(choice.text));
    const chosen = choices[await ask({ title: say(title), text: say(text), buttons })];
    return chosen?.does ?? 'stay-open';
  }

  return async () => {
    // Who asks again while the box is open, or while the tunnel is being ended, has one answer coming.
    if (isQuitting) return;
    isQuitting = true;
    try {
      const chosen = await choose();
      if (chosen === 'stay-open') return;
      if (chosen === 'disconnect') {
        const ended = Promise.resolve(core.tunnel.host.disconnect(undefined)).then(() => true);
        await withTimeout(ended, disconnectMs, false);
      }
      leave();
    } finally {
      isQuitting = false;
    }
  };
}
