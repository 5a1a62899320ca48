import './mantine-styles.ts';
import { MantineProvider } from '@mantine/core';
import type { ReactNode } from 'react';
import { theme } from './theme.ts';
import { useThemeChoice } from './theme-provider.tsx';

/** The context that Mantine's components need. */
export function Mantine({ children }: { children: ReactNode }) {
  const choice = useThemeChoice();
  return (
    // The variables of Mantine's theme are in theme.css: generated ones would only exist after the script has run.
    <MantineProvider
      theme={theme}
      defaultColorScheme="auto"
      {...(choice !== 'system' && { forceColorScheme: choice })}
      withCssVariables={false}
      withGlobalClasses={false}
    >
      {children}
    </MantineProvider>
  );
}
