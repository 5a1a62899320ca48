import type { ReactNode } from 'react';
import classes from './server-chooser.module.css';

/** The position of a row among all rows, counted from 1; only a few of them are in the page. */
export interface RowPosition {
  'aria-rowindex': number;
}

interface ChooserOptionProps {
  id: string;
  /** Whether the keyboard is here. */
  isActive: boolean;
  isChosen: boolean;
  isUsable: boolean;
  /** Whether it is below the name of its country. */
  isIndented?: boolean;
  describedBy?: string;
  position: RowPosition;
  onSubmit: () => void;
  /** Another action for the row, in its own cell. */
  action?: ReactNode;
  children: ReactNode;
}

/** A row that can be chosen. It uses plain elements, because dozens are drawn with each letter that is typed. */
export function ChooserOption(props: ChooserOptionProps) {
  return (
    <div
      // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- a table's own rows stand where a table puts them
      role="row"
      className={classes.option}
      data-active={props.isActive || undefined}
      data-indented={props.isIndented || undefined}
      aria-selected={props.isChosen}
      aria-disabled={props.isUsable ? undefined : true}
      {...props.position}
    >
      {/* oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus -- keys go to the field that searches, which says which cell is active */}
      <div
        id={props.id}
        // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- as above
        role="gridcell"
        className={classes.choice}
        aria-selected={props.isChosen}
        aria-disabled={props.isUsable ? undefined : true}
        aria-describedby={props.describedBy}
        onClick={props.onSubmit}
      >
        {props.children}
      </div>
      {props.action}
    </div>
  );
}
