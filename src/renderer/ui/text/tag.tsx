import { Badge } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Tone } from '../theme/theme.ts';

/** A short word for a state. */
export function Tag({ tone, children }: { tone: Tone; children: ReactNode }) {
  return (
    <Badge variant="light" color={tone}>
      {children}
    </Badge>
  );
}
