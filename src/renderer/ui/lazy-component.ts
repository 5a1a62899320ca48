import { createElement, lazy, useState, type ComponentType, type ReactElement } from 'react';
import { loadChunk } from './load-chunk.ts';

interface LazyComponent<Props> {
  (props: Props): ReactElement;
  /** Loads it before it is shown, so that it is then there at once; resolves also where that failed. */
  preload(): Promise<void>;
}

/** Thrown where a component was to be shown whose code could not be loaded. */
export class NotLoaded extends Error {
  override name = 'NotLoaded';
  /** Lets whoever comes next have it loaded again: React keeps a failure for ever. */
  readonly forget: () => void;
  constructor(cause: unknown, forget: () => void) {
    super('a part of the app could not be loaded', { cause });
    this.forget = forget;
  }
}

/** A component that is loaded when it is shown, if it was not before. A failure is told when it is to be shown. */
export function lazyComponent<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): LazyComponent<Props> {
  let loaded: ComponentType<Props> | undefined;
  const makeOnDemand = () =>
    lazy(async () => {
      try {
        loaded = await loadChunk(load);
        return { default: loaded };
      } catch (error) {
        throw new NotLoaded(error, () => (onDemand = makeOnDemand()));
      }
    });
  let onDemand = makeOnDemand();
  function Component(props: Props) {
    // Chosen once: a page that changed into the same page would lose its state.
    const [Shown] = useState<ComponentType<Props>>(() => loaded ?? onDemand);
    return createElement(Shown, props);
  }
  Component.preload = async () => {
    loaded = await loadChunk(load, 1).catch(() => undefined);
  };
  return Component;
}
