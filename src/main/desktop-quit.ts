import type { Say } from '#shared/texts/say.ts';
import type { BehaviourStore } from './preferences/behaviour.ts';
import type { PreferencesStore } from './preferences/preferences.ts';
import type { TunnelController } from './tunnel/tunnel-controller.ts';
import { withTimeout } from './with-timeout.ts';
import { quitting, type Quitting } from './window/quitting.ts';

/** A message box with buttons; Escape chooses the last one. */
export interface Question {
  title: string;
  text: string;
  buttons: string[];
  /** The button that Enter chooses; the first one if absent. */
  usual?: number;
}

export interface QuitOptions {
  core: {
    readonly tunnel: Pick<TunnelController, 'state' | 'host' | 'setLeaving'>;
    readonly preferences: Pick<PreferencesStore, 'get'>;
    readonly behaviour: Pick<BehaviourStore, 'get'>;
  };
  say: Say;
  /** Resolves with the index of the chosen button. */
  ask: (question: Question) => Promise<number>;
  /** Ends the app; what it does before may take a while. */
  leave: () => Promise<void> | void;
}

/** A helper that does not answer must not keep the user from quitting. */
const disconnectMs = 5000;

/** What quitting does. If the system ends the app, or the app crashes, the helper keeps the tunnel. */
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
    // If the user quits again while the box is open or the tunnel is ending, nothing more is needed.
    if (isQuitting) return;
    isQuitting = true;
    try {
      const chosen = await choose();
      if (chosen === 'stay-open') return;
      // A click on Connect of just before may not have led to anything yet, and would after this.
      core.tunnel.setLeaving(true);
      if (chosen === 'disconnect') {
        const ended = Promise.resolve(core.tunnel.host.disconnect(undefined)).then(() => true);
        await withTimeout(ended, disconnectMs, false);
      }
      await leave();
    } catch (error) {
      core.tunnel.setLeaving(false);
      throw error;
    } finally {
      isQuitting = false;
    }
  };
}
