import { IconAlertCircle, IconAlertTriangle, IconInfoCircle } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import classes from './message.module.css';

const icons = { info: IconInfoCircle, warn: IconAlertTriangle, bad: IconAlertCircle };

interface MessageProps {
  tone: keyof typeof icons;
  title?: string;
  children?: ReactNode;
  action?: ReactNode;
}

/** Something the user should know, in the page. A failure is announced at once. */
export function Message({ tone, title, children, action }: MessageProps) {
  const Icon = icons[tone];
  return (
    <div className={classes.message} data-tone={tone} role={tone === 'bad' ? 'alert' : 'status'}>
      <Icon className={classes.icon} size={20} aria-hidden />
      <div className={classes.body}>
        {title && <p className={classes.title}>{title}</p>}
        {children && <p className={classes.text}>{children}</p>}
        {action && <div className={classes.action}>{action}</div>}
      </div>
    </div>
  );
}
