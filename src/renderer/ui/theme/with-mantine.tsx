import type { ComponentType } from 'react';

/**
 * Loads a component together with Mantine, and wraps it. The login page and the frame of every page do without Mantine,
 * whose code and styles would be an eighth of what the first page loads.
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
