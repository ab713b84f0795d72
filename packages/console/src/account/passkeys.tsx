import type { SignInSession } from '@svc/client/sign-in'
import { useEffect, useState } from 'preact/hooks'
import { SaidError } from '../failures/sentences.ts'
import { Button } from '../shell/button.tsx'
import { Confirmed } from '../shell/confirmed.tsx'
import { dayOf } from '../shell/dates.ts'
import { Field } from '../shell/field.tsx'
import { Form } from '../shell/form.tsx'
import { useTask } from '../shell/task.tsx'
import type { SignInActs } from '../sign-in/acts.ts'
import { words } from '../words/account/words.ts'
import { words as shellWords } from '../words/shell/words.ts'
import { words as signInWords } from '../words/sign-in/words.ts'

interface PasskeysProps {
  readonly signIn: SignInActs
  readonly session: SignInSession
}

type Passkey = Awaited<ReturnType<SignInSession['passkeys']>>[number]

export function Passkeys({ signIn, session }: PasskeysProps) {
  const task = useTask()
  const [passkeys, setPasskeys] = useState<readonly Passkey[]>([])
  const read = async () => setPasskeys(await session.passkeys())
  useEffect(() => {
    read().catch((error: unknown) => task.run(() => Promise.reject(error)))
  }, [session])

  const add = async () => {
    const label = passkeys.length === 0 ? words.passkey : `${words.passkey} ${passkeys.length + 1}`
    await signIn.registerPasskey(await session.grant(), { name: signInWords.myAccount, label })
    await read()
    task.say(words.passkeyAdded)
  }
  return (
    <section>
      <h2>{words.passkeys}</h2>
      <p>{words.passkeysLead}</p>
      {passkeys.length === 0 ? <p class="note">{words.noPasskeys}</p> : null}
      <ul class="list">
        {passkeys.map((passkey) => (
          <PasskeyRow key={passkey.passkeyId} passkey={passkey} session={session} onChange={read} />
        ))}
      </ul>
      <Button look="plain" onPress={add}>
        {words.addPasskey}
      </Button>
    </section>
  )
}

interface RowProps {
  readonly passkey: Passkey
  readonly session: SignInSession
  readonly onChange: () => Promise<void>
}

function PasskeyRow({ passkey, session, onChange }: RowProps) {
  const task = useTask()
  const { passkeyId, label, createdAt, lastUsedAt, isBackedUp, counterWentBackAt } = passkey
  const [isNaming, setNaming] = useState(false)
  const [name, setName] = useState(label)
  const rename = async () => {
    if (name.trim() === '') throw new SaidError(words.enterPasskeyName)
    await session.renamePasskey(passkeyId, name.trim())
    setNaming(false)
    await onChange()
    task.say(words.renamed)
  }
  const remove = async () => {
    await session.removePasskey(passkeyId)
    await onChange()
    task.say(words.removed)
  }
  if (isNaming)
    return (
      <li>
        <Form onSend={rename}>
          <Field label={words.passkeyName} value={name} onValue={setName} maxLength={64} />
          <div class="actions">
            <Button>{words.save}</Button>
            <button type="button" class="plain" onClick={() => setNaming(false)}>
              {shellWords.cancel}
            </button>
          </div>
        </Form>
      </li>
    )
  return (
    <li>
      <div>
        <strong>{label}</strong>
        <small>
          {words.passkeyFacts(dayOf(createdAt), lastUsedAt === null ? null : dayOf(lastUsedAt), isBackedUp)}
        </small>
        {counterWentBackAt === null ? null : <small class="bad">{words.copied(dayOf(counterWentBackAt))}</small>}
      </div>
      <div class="actions">
        <button type="button" class="quiet" aria-label={`${words.rename} ${label}`} onClick={() => setNaming(true)}>
          {words.rename}
        </button>
        <Confirmed
          action={words.remove}
          label={`${words.remove} ${label}`}
          title={words.removeTitle}
          look="quiet"
          onConfirm={remove}
        >
          <p>{words.removeText}</p>
        </Confirmed>
      </div>
    </li>
  )
}
