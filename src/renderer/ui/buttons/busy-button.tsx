import type { ComponentProps } from 'react';

/**
 * The element of every button. While its action is in progress, it cannot be pressed, but it is not `disabled`, because
 * it would lose the focus. It only submits a form if it says so; Mantine passes on an undefined `type`, which would
 * make it a submit button.
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

/** Mantine's attribute on a button whose `loading` is set. */
interface WithLoading {
  'data-loading'?: boolean | undefined;
}
