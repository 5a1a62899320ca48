import { Button, createTheme, type VariantColorsResolver } from '@mantine/core';
import { BusyButton } from '../buttons/busy-button.tsx';

/** The meaning of a state's word or message. */
export type Tone = 'good' | 'warn' | 'bad' | 'plain';

const toneColors = {
  good: { background: 'var(--wm-accent-soft)', color: 'var(--wm-accent)' },
  warn: { background: 'var(--wm-warn-soft)', color: 'var(--wm-warn)' },
  bad: { background: 'var(--wm-danger-soft)', color: 'var(--wm-danger)' },
  plain: { background: 'var(--wm-sunken)', color: 'var(--wm-muted)' },
} satisfies Record<Tone, object>;

const isTone = (color: unknown): color is Tone => typeof color === 'string' && color in toneColors;

/**
 * Uses the colours of theme.css: `light` is for elements with a tone; elsewhere `red` means danger, and anything else
 * the accent.
 */
const variantColors: VariantColorsResolver = ({ variant, color }) => {
  const tone = color === 'red' ? 'danger' : 'accent';
  const border = '1px solid transparent';
  switch (variant) {
    case 'light':
      return { ...toneColors[isTone(color) ? color : 'plain'], hover: 'transparent', border };
    case 'filled':
      return {
        background: `var(--wm-${tone})`,
        hover: `var(--wm-${tone}-hover)`,
        color: `var(--wm-on-${tone})`,
        border,
      };
    case 'subtle':
      return { background: 'transparent', hover: 'var(--wm-sunken)', color: `var(--wm-${tone})`, border };
    default:
      return {
        background: 'var(--wm-surface)',
        hover: 'var(--wm-sunken)',
        color: color === 'red' ? 'var(--wm-danger)' : 'var(--wm-text)',
        border: '1px solid var(--wm-line-strong)',
      };
  }
};

export const theme = createTheme({
  variantColorResolver: variantColors,
  components: {
    Button: Button.extend({ defaultProps: { component: BusyButton } }),
    // It appears when the focus has left its field, or stays there: only as an alert it is announced.
    InputError: { defaultProps: { role: 'alert' } },
  },
  respectReducedMotion: true,
  cursorType: 'pointer',
});
