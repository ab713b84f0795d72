import { useEffect, useRef, useState } from 'preact/hooks'
import { Button } from '../shell/button.tsx'
import { Field } from '../shell/field.tsx'
import { Form } from '../shell/form.tsx'
import { SaidError } from '../shell/sentences.ts'
import { useTask } from '../shell/task.tsx'

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
    const { joinOffer } = await import('./identity.ts')
    const arrival = await joinOffer(core, text)
    if (!arrival) throw new SaidError('Enter the whole text that the other device shows.')
    setCode(arrival.confirmationCode)
    const controller = new AbortController()
    waiting.current = controller
    arrival.secret(controller.signal).then(
      (secret) => task.run(() => onSecret(secret)),
      (error: unknown) => {
        setCode(null)
        if (controller.signal.aborted) return
        console.info(error)
        void task.run(() =>
          Promise.reject(new SaidError('The other device did not confirm. Start again there with a new text.')),
        )
      },
    )
  }
  if (code !== null)
    return (
      <div class="step">
        <p>Enter this code on the other device. Your identity arrives some seconds after that.</p>
        <code class="code" data-name="confirmation code">
          {code}
        </code>
        <button type="button" class="plain" onClick={() => waiting.current?.abort()}>
          Cancel
        </button>
      </div>
    )
  if (!isOpen)
    return (
      <button type="button" class="plain step" onClick={() => setOpen(true)}>
        Get it from another device
      </button>
    )
  return (
    <div class="step">
      <Form onSend={join}>
        <Field
          label="Text from the other device"
          value={text}
          onValue={setText}
          hint="On the other device, choose “Move to another device” in this account."
        />
        <div class="actions">
          <Button>Continue</Button>
          <button type="button" class="plain" onClick={() => setOpen(false)}>
            Cancel
          </button>
        </div>
      </Form>
    </div>
  )
}
