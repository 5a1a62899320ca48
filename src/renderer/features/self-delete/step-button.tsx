import { Button, type ButtonProps } from '@mantine/core';

interface StepButtonProps extends ButtonProps {
  /** `byPointer`: false for a key press, which goes to the element with the focus. */
  onPress: (byPointer: boolean) => void;
}

/** A button of a step. It ignores the second click of a double click, which was not meant for the next step. */
export function StepButton({ onPress, ...props }: StepButtonProps) {
  return (
    <Button
      {...props}
      size="md"
      onClick={({ detail: clicks }) => {
        if (clicks < 2) onPress(clicks === 1);
      }}
    />
  );
}
