import type { ComponentProps } from 'react';

/**
 * The element of every button. While what it does is in progress it cannot be pressed, but is not `disabled`
 * either: it may have the focus, which would be lost. It submits a form only if it says so; Mantine hands on an
 * undefined `type`, which would be that of a button that does.
 */
export function BusyButton({
  disabled,
  onClick,
  type = 'button',
  ...others
}: ComponentProps<'button'> & WithLoading) {
  const busy = others['data-loading'] === true;
  return (
    <button
      {...others}
      type={type}
      disabled={disabled && !busy}
      aria-disabled={busy || others['aria-disabled']}
      onClick={busy ? (event) => event.preventDefault() : onClick}
    />
  );
}

/** Mantine's mark of a button whose `loading` is set. */
interface WithLoading {
  'data-loading'?: boolean | undefined;
}
