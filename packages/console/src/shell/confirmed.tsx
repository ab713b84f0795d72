import type { ComponentChildren } from 'preact'
import { useId, useRef } from 'preact/hooks'
import { words } from '../words/shell/words.ts'
import { Button } from './button.tsx'

interface ConfirmedProps {
  /** On the button that opens the question, and on the one that answers it. */
  readonly action: string
  /** On the one that answers it, if that says something else. */
  readonly confirm?: string
  readonly label?: string
  readonly title: string
  readonly look?: 'danger' | 'quiet'
  readonly children: ComponentChildren
  readonly onConfirm: () => Promise<void>
}

/** A button that asks first. The question is modal, and Escape closes it. */
export function Confirmed({
  action,
  confirm = action,
  label,
  title,
  look = 'danger',
  children,
  onConfirm,
}: ConfirmedProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  const close = () => dialog.current?.close()
  return (
    <>
      <button type="button" class={look} aria-label={label} onClick={() => dialog.current?.showModal()}>
        {action}
      </button>
      <dialog ref={dialog} aria-labelledby={id}>
        <h2 id={id}>{title}</h2>
        {children}
        <div class="actions">
          <Button
            look="danger"
            onPress={async () => {
              close()
              await onConfirm()
            }}
          >
            {confirm}
          </Button>
          <button type="button" class="plain" onClick={close}>
            {words.cancel}
          </button>
        </div>
      </dialog>
    </>
  )
}
