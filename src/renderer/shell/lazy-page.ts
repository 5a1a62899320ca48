import { createElement, lazy, useState, type ComponentType, type ReactElement } from 'react';

interface LazyPage<Props> {
  (props: Props): ReactElement;
  /** Loads the page before it is shown, so that it is then there at once; resolves also where that failed. */
  preload(): Promise<void>;
}

/** A page that is loaded when it is shown, if it was not before. A failure is told when it is to be shown. */
export function lazyPage<Props extends object>(load: () => Promise<ComponentType<Props>>): LazyPage<Props> {
  let loaded: ComponentType<Props> | undefined;
  const OnDemand = lazy(async () => ({ default: await load() }));
  function Page(props: Props) {
    // Chosen once: a page that changed into the same page would lose its state.
    const [Shown] = useState<ComponentType<Props>>(() => loaded ?? OnDemand);
    return createElement(Shown, props);
  }
  Page.preload = async () => {
    loaded = await load().catch(() => undefined);
  };
  return Page;
}
