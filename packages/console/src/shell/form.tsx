import type { ComponentChildren } from 'preact'
import { Sending } from './sending.ts'
import { useTask } from './task.tsx'

interface FormProps {
  readonly onSend: () => Promise<void>
  /** Its fields take what is typed while it is sent: `onSend` sends that too. */
  readonly isOpenWhileSent?: boolean
  readonly children: ComponentChildren
}

/** A form whose fields stay in this page. */
export function Form({ onSend, isOpenWhileSent = false, children }: FormProps) {
  const task = useTask()
  const send = (event: SubmitEvent) => {
    event.preventDefault()
    void task.run(onSend)
  }
  return (
    <form noValidate onSubmit={send}>
      <Sending.Provider value={task.isBusy && !isOpenWhileSent}>{children}</Sending.Provider>
    </form>
  )
}
