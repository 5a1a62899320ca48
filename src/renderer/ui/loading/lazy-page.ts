import type { ComponentType } from 'react';
import { lazyComponent } from './lazy-component.ts';
import { withAllTexts } from '../../i18n/with-all-texts.ts';
import { withMantine } from '../theme/with-mantine.tsx';

/** A lazy component that needs more than the texts of the first pages. */
export const lazyPage = <Props extends object>(load: () => Promise<ComponentType<Props>>) =>
  lazyComponent(withAllTexts(withMantine(load)));
