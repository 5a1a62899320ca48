import { Button, type ButtonProps } from '@mantine/core';

interface StepButtonProps extends ButtonProps {
  /** `byPointer`: not by a key, which is pressed where the focus is. */
  onPress: (byPointer: boolean) => void;
}

/** A button of a step. The later clicks of a double one were meant for another step. */
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
