import { useState } from 'preact/hooks'
import { Exact } from '../content/exact.tsx'
import { chunk } from '../failures/chunk.ts'
import { SaidError } from '../failures/sentences.ts'
import { Button } from '../shell/button.tsx'
import { Field } from '../shell/field.tsx'
import { Form } from '../shell/form.tsx'
import { useTask } from '../shell/task.tsx'
import { words } from '../words/account/words.ts'
import { words as shellWords } from '../words/shell/words.ts'
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
    const { offerSecret } = await chunk(() => import('./identity.ts'))
    setShown('')
    setHandover(await offerSecret(core, secret))
  }
  const copy = async () => {
    await navigator.clipboard.writeText(handover?.text ?? '').catch(() => {
      throw new SaidError(words.notCopied)
    })
    task.say(words.textCopied)
  }
  const approve = async () => {
    if (!handover) return
    if (shown.trim() === '') throw new SaidError(words.enterCode)
    await handover.approve(shown.trim()).catch(async (error: unknown) => {
      if (!(error instanceof Error) || error.name === 'ServiceError') throw error
      if (error.message.startsWith('No device')) throw new SaidError(words.nobodyJoined)
      await handover.cancel()
      setHandover(null)
      throw new SaidError(words.codesDiffer)
    })
    setHandover(null)
    task.say(words.given)
  }
  if (!handover)
    return (
      <Button look="plain" onPress={begin}>
        {words.give}
      </Button>
    )
  return (
    <>
      <ol>
        <li>{words.giveSignIn}</li>
        <li>
          {words.giveText}
          <Exact class="code" name="invitation">
            {handover.text}
          </Exact>
          <Button look="quiet" onPress={copy}>
            {words.copyText}
          </Button>
        </li>
        <li>{words.giveCode}</li>
      </ol>
      <Form onSend={approve}>
        <Field label={words.codeLabel} value={shown} onValue={setShown} maxLength={20} />
        <div class="actions">
          <Button>{words.codesMatch}</Button>
          <Button
            look="plain"
            onPress={async () => {
              await handover.cancel()
              setHandover(null)
            }}
          >
            {shellWords.cancel}
          </Button>
        </div>
      </Form>
    </>
  )
}
