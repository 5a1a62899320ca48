import { IconPhoto } from '@tabler/icons-react';
import { charactersOf } from '#shared/characters.ts';
import classes from './icon-or-initial.module.css';

interface IconOrInitialProps {
  /** A data URL, or empty. */
  icon: string;
  /** Its first letter replaces a missing icon. */
  name: string;
  /** Width and height in CSS pixels. */
  size: number;
}

/** The icon of a mini-app or a program, or the first letter of its name. It is decorative, because the name is beside it. */
export function IconOrInitial({ icon, name, size }: IconOrInitialProps) {
  // Only data URLs: loading a picture from elsewhere would tell its owner who looks at it.
  if (icon.startsWith('data:image/')) {
    return <img src={icon} alt="" width={size} height={size} className={classes.icon} />;
  }
  return (
    <span
      className={classes.icon}
      style={{ width: size, height: size, fontSize: Math.round(size * 0.45) }}
      aria-hidden
    >
      {firstLetter(name) ?? <IconPhoto size={Math.round(size * 0.45)} stroke={1.5} />}
    </span>
  );
}

/** The first character as the user sees it, whatever it is composed of. */
function firstLetter(name: string): string | undefined {
  const [first] = charactersOf(name.trim());
  return first?.toUpperCase();
}
