import type { ComponentType } from 'react';

/**
 * Loads a component together with Mantine, and puts that around it. The login page and what is around every page do
 * without: with its styles, Mantine is an eighth of all that the first page would load.
 */
export const withMantine =
  <Props extends object>(load: () => Promise<ComponentType<Props>>) =>
  async (): Promise<ComponentType<Props>> => {
    const [Component, { Mantine }] = await Promise.all([load(), import('./mantine.tsx')]);
    return function WithMantine(props) {
      return (
        <Mantine>
          <Component {...props} />
        </Mantine>
      );
    };
  };
