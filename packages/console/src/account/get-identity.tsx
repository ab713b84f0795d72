import { useEffect, useRef, useState } from 'preact/hooks'
import { Exact } from '../content/exact.tsx'
import { chunk } from '../failures/chunk.ts'
import { SaidError } from '../failures/sentences.ts'
import { checkInvitation } from '../keys/invitation.ts'
import { Button } from '../shell/button.tsx'
import { Field } from '../shell/field.tsx'
import { Form } from '../shell/form.tsx'
import { useTask } from '../shell/task.tsx'
import { words } from '../words/account/words.ts'
import { words as shellWords } from '../words/shell/words.ts'

interface GetIdentityProps {
  readonly core: string
  readonly onSecret: (secret: Uint8Array) => Promise<void>
}

/** The new device: takes the text of the old one, shows a code, and waits until it is confirmed there. */
export function GetIdentity({ core, onSecret }: GetIdentityProps) {
  const task = useTask()
  const [isOpen, setOpen] = useState(false)
  const [text, setText] = useState('')
  const [code, setCode] = useState<string | null>(null)
  const waiting = useRef<AbortController | null>(null)
  useEffect(() => () => waiting.current?.abort(), [])

  const join = async () => {
    checkInvitation(text)
    const { joinOffer } = await chunk(() => import('./identity.ts'))
    const arrival = await joinOffer(core, text)
    setCode(arrival.confirmationCode)
    const controller = new AbortController()
    waiting.current = controller
    arrival.secret(controller.signal).then(
      (secret) => task.run(() => onSecret(secret)),
      (error: unknown) => {
        setCode(null)
        if (controller.signal.aborted) return
        console.info(error)
        void task.run(() => Promise.reject(new SaidError(words.notConfirmed)))
      },
    )
  }
  if (code !== null)
    return (
      <div class="step">
        <p>{words.getCode}</p>
        <Exact class="code" name="confirmation code">
          {code}
        </Exact>
        <button type="button" class="plain" onClick={() => waiting.current?.abort()}>
          {shellWords.cancel}
        </button>
      </div>
    )
  if (!isOpen)
    return (
      <button type="button" class="plain step" onClick={() => setOpen(true)}>
        {words.get}
      </button>
    )
  return (
    <div class="step">
      <Form onSend={join}>
        <Field label={words.getText} value={text} onValue={setText} hint={words.getTextHint} />
        <div class="actions">
          <Button>{words.getContinue}</Button>
          <button type="button" class="plain" onClick={() => setOpen(false)}>
            {shellWords.cancel}
          </button>
        </div>
      </Form>
    </div>
  )
}
