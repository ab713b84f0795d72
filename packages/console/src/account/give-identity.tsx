import { useState } from 'preact/hooks'
import { Button } from '../shell/button.tsx'
import { Field } from '../shell/field.tsx'
import { Form } from '../shell/form.tsx'
import { SaidError } from '../shell/sentences.ts'
import { useTask } from '../shell/task.tsx'
import type { Handover } from './identity.ts'

interface GiveIdentityProps {
  readonly core: string
  readonly secret: Uint8Array
}

/** The old device: shows a text, and asks for the code that the new device shows. */
export function GiveIdentity({ core, secret }: GiveIdentityProps) {
  const task = useTask()
  const [handover, setHandover] = useState<Handover | null>(null)
  const [shown, setShown] = useState('')
  const begin = async () => {
    const { offerSecret } = await import('./identity.ts')
    setShown('')
    setHandover(await offerSecret(core, secret))
  }
  const copy = async () => {
    await navigator.clipboard.writeText(handover?.text ?? '').catch(() => {
      throw new SaidError('The browser did not allow copying. Select the text and copy it yourself.')
    })
    task.say('The text was copied.')
  }
  const approve = async () => {
    if (!handover) return
    if (shown.trim() === '') throw new SaidError('Enter the code that the other device shows.')
    await handover.approve(shown.trim()).catch(async (error: unknown) => {
      if (!(error instanceof Error) || error.name === 'ServiceError') throw error
      if (error.message.startsWith('No device')) throw new SaidError('The other device has not entered the text yet.')
      await handover.cancel()
      setHandover(null)
      throw new SaidError('The codes differ, so nothing was sent. Start again, and compare the codes carefully.')
    })
    setHandover(null)
    task.say('The other device has your identity now.')
  }
  if (!handover)
    return (
      <Button look="plain" onPress={begin}>
        Move to another device
      </Button>
    )
  return (
    <>
      <ol>
        <li>Sign in to this account on the other device and choose “Get it from another device”.</li>
        <li>
          Enter this text there, within ten minutes. You can send it to yourself in a message: the other device gets
          nothing before you have confirmed its code here.
          <code class="code" data-name="pairing text">
            {handover.text}
          </code>
          <Button look="quiet" onPress={copy}>
            Copy the text
          </Button>
        </li>
        <li>Enter the code that it then shows:</li>
      </ol>
      <Form onSend={approve}>
        <Field label="Code on the other device" value={shown} onValue={setShown} maxLength={20} />
        <div class="actions">
          <Button>The codes match</Button>
          <Button
            look="plain"
            onPress={async () => {
              await handover.cancel()
              setHandover(null)
            }}
          >
            Cancel
          </Button>
        </div>
      </Form>
    </>
  )
}
