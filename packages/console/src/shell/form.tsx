import type { ComponentChildren } from 'preact'
import { useTask } from './task.tsx'

interface FormProps {
  readonly onSend: () => Promise<void>
  readonly children: ComponentChildren
}

/** A form whose fields stay in this page. */
export function Form({ onSend, children }: FormProps) {
  const task = useTask()
  const send = (event: SubmitEvent) => {
    event.preventDefault()
    void task.run(onSend)
  }
  return (
    <form noValidate onSubmit={send}>
      {children}
    </form>
  )
}
