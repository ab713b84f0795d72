import type { ComponentChildren } from 'preact'
import { useTask } from './task.tsx'

interface ButtonProps {
  readonly children: ComponentChildren
  /** Without it, the button sends its form. */
  readonly onPress?: () => Promise<void>
  readonly look?: 'main' | 'plain' | 'quiet' | 'danger'
  /** For people who hear it without what is around it. */
  readonly label?: string
}

export function Button({ children, onPress, look = 'main', label }: ButtonProps) {
  const task = useTask()
  return (
    <button
      type={onPress ? 'button' : 'submit'}
      class={look}
      disabled={task.isBusy}
      aria-label={label}
      onClick={onPress && (() => void task.run(onPress))}
    >
      {children}
    </button>
  )
}
