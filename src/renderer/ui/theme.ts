import { Button, createTheme, type VariantColorsResolver } from '@mantine/core';
import { BusyButton } from './busy-button.tsx';

/** Buttons in the colours of theme.css: `red` means danger, anything else the accent. */
const variantColors: VariantColorsResolver = ({ variant, color }) => {
  const tone = color === 'red' ? 'danger' : 'accent';
  const border = '1px solid transparent';
  switch (variant) {
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
  components: { Button: Button.extend({ defaultProps: { component: BusyButton } }) },
  respectReducedMotion: true,
  cursorType: 'pointer',
});
