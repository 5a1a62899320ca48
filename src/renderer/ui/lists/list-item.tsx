import type { ReactNode } from 'react';
import classes from './list.module.css';

interface ListItemProps {
  /** A decorative icon. */
  icon?: ReactNode;
  title: ReactNode;
  detail?: ReactNode;
  /** Its actions, or its state. */
  children?: ReactNode;
}

export function ListItem({ icon, title, detail, children }: ListItemProps) {
  return (
    <li className={classes.item} tabIndex={-1}>
      {icon && (
        <span className={classes.icon} aria-hidden>
          {icon}
        </span>
      )}
      <div className={classes.body}>
        <p className={classes.title}>{title}</p>
        {detail && <p className={classes.detail}>{detail}</p>}
      </div>
      {children && <div className={classes.aside}>{children}</div>}
    </li>
  );
}
