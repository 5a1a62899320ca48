import { createElement, lazy, useState, type ComponentType, type ReactElement } from 'react';
import { loadChunk } from './load-chunk.ts';

interface LazyComponent<Props> {
  (props: Props): ReactElement;
  /** Loads it in advance, so that it appears at once; also resolves if that failed. */
  preload(): Promise<void>;
}

/** Thrown when a component whose code could not be loaded should be shown. */
export class NotLoaded extends Error {
  override name = 'NotLoaded';
  /** Allows loading it again: React remembers a failure for ever. */
  readonly forget: () => void;
  constructor(cause: unknown, forget: () => void) {
    super('a part of the app could not be loaded', { cause });
    this.forget = forget;
  }
}

/**
 * A component that is loaded when it is shown, unless it was loaded before. A failure is reported when it should be
 * shown.
 */
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
    // Chosen once: replacing the component with the same one would lose its state.
    const [Shown] = useState<ComponentType<Props>>(() => loaded ?? onDemand);
    return createElement(Shown, props);
  }
  Component.preload = async () => {
    loaded = await loadChunk(load, 1).catch(() => undefined);
  };
  return Component;
}
