import type { SignIn, SignInSession } from '@svc/client/sign-in'
import { useEffect, useState } from 'preact/hooks'
import { Button } from '../shell/button.tsx'
import { Confirmed } from '../shell/confirmed.tsx'
import { dayOf } from '../shell/dates.ts'
import { Field } from '../shell/field.tsx'
import { Form } from '../shell/form.tsx'
import { SaidError } from '../shell/sentences.ts'
import { useTask } from '../shell/task.tsx'

interface PasskeysProps {
  readonly signIn: SignIn
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
    const label = passkeys.length === 0 ? 'Passkey' : `Passkey ${passkeys.length + 1}`
    await signIn.registerPasskey(await session.grant(), { name: 'My account', label })
    await read()
    task.say('The passkey was added.')
  }
  return (
    <section>
      <h2>Passkeys</h2>
      <p>A passkey signs you in with your fingerprint, your face or the PIN of your device.</p>
      {passkeys.length === 0 ? <p class="note">You have no passkeys yet.</p> : null}
      <ul class="list">
        {passkeys.map((passkey) => (
          <PasskeyRow key={passkey.passkeyId} passkey={passkey} session={session} onChange={read} />
        ))}
      </ul>
      <Button look="plain" onPress={add}>
        Add a passkey
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
    if (name.trim() === '') throw new SaidError('Enter a name for the passkey.')
    await session.renamePasskey(passkeyId, name.trim())
    setNaming(false)
    await onChange()
    task.say('The passkey was renamed.')
  }
  const remove = async () => {
    await session.removePasskey(passkeyId)
    await onChange()
    task.say('The passkey was removed.')
  }
  if (isNaming)
    return (
      <li>
        <Form onSend={rename}>
          <Field label="Name of the passkey" value={name} onValue={setName} maxLength={64} />
          <div class="actions">
            <Button>Save</Button>
            <button type="button" class="plain" onClick={() => setNaming(false)}>
              Cancel
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
          Added {dayOf(createdAt)}
          {lastUsedAt === null ? '' : `, last used ${dayOf(lastUsedAt)}`}
          {isBackedUp ? ', synced' : ''}
        </small>
        {counterWentBackAt === null ? null : (
          <small class="bad">
            Somebody may have a copy of it: it answered with an old counter on {dayOf(counterWentBackAt)}. Remove it if
            you do not know why.
          </small>
        )}
      </div>
      <div class="actions">
        <button type="button" class="quiet" aria-label={`Rename ${label}`} onClick={() => setNaming(true)}>
          Rename
        </button>
        <Confirmed
          action="Remove"
          label={`Remove ${label}`}
          title="Remove this passkey?"
          look="quiet"
          onConfirm={remove}
        >
          <p>You will not be able to sign in with it any more. Delete it on your device as well.</p>
        </Confirmed>
      </div>
    </li>
  )
}
