import { useEffect, useState } from 'preact/hooks'
import { Button } from '../shell/button.tsx'
import { useTask } from '../shell/task.tsx'
import { GetIdentity } from './get-identity.tsx'
import { GiveIdentity } from './give-identity.tsx'
import { isKeptHere, keepHere, keepWithPasskey, openHere, openWithPasskey, type Unlocking } from './secret-store.ts'

interface UnlockedProps {
  readonly core: string
  readonly entered: Unlocking
  /** Asks for the passkey once more: creating one gives no key. */
  readonly onUsePasskey: () => Promise<void>
}

interface Open {
  readonly secret: Uint8Array
  readonly did: string
  readonly isWithPasskey: boolean
}

const loadIdentity = () => import('./identity.ts')

export function Unlocked({ core, entered, onUsePasskey }: UnlockedProps) {
  const task = useTask()
  const [open, setOpen] = useState<Open | null>(null)
  const [isRead, setRead] = useState(false)

  const keep = async (secret: Uint8Array, isWithPasskey: boolean) => {
    keepHere(entered, secret)
    const isKept = isWithPasskey || (await keepWithPasskey(entered, secret))
    const { didOf } = await loadIdentity()
    setOpen({ secret, did: await didOf(secret), isWithPasskey: isKept })
  }
  useEffect(() => {
    const settle = async () => {
      const withPasskey = await openWithPasskey(entered)
      // What this browser has open goes on under the key of a new login, such as that of a new password.
      const secret = open?.secret ?? openHere(entered) ?? withPasskey
      if (secret) await keep(secret, withPasskey !== null)
      setRead(true)
    }
    settle().catch((error: unknown) => task.run(() => Promise.reject(error)))
  }, [entered.session])

  return (
    <section>
      <h2>Your identity</h2>
      <p>
        The keys of your identity are stored encrypted. Only your password or passkey opens them, in this browser: the
        service cannot.
      </p>
      {open ? (
        <>
          <dl>
            <dt>Identity</dt>
            <dd>{open.did}</dd>
            <dt>Stored</dt>
            <dd>
              {open.isWithPasskey ? 'in this browser, and with your passkey for your other devices' : 'in this browser'}
            </dd>
          </dl>
          <GiveIdentity core={core} secret={open.secret} />
        </>
      ) : !isRead ? (
        <p class="note">One moment…</p>
      ) : entered.exportKey === null ? (
        <WithoutKey isPasskeyUsed={entered.passkeyId !== null} onUsePasskey={onUsePasskey} />
      ) : (
        <>
          <p class="note">
            {isKeptHere(entered.accountId)
              ? 'Another way to sign in opens the identity in this browser. Sign in with that, or get it from another device.'
              : 'There is no identity on this device yet. If you have one on another device, get it from there.'}
          </p>
          <div class="actions">
            <Button
              look="plain"
              onPress={async () => {
                const { createIdentity } = await loadIdentity()
                await keep(await createIdentity(core), false)
                task.say('Your identity was created.')
              }}
            >
              Create an identity
            </Button>
          </div>
          <GetIdentity
            core={core}
            onSecret={async (secret) => {
              await keep(secret, false)
              task.say('Your identity is on this device now.')
            }}
          />
        </>
      )}
    </section>
  )
}

interface WithoutKeyProps {
  readonly isPasskeyUsed: boolean
  readonly onUsePasskey: () => Promise<void>
}

function WithoutKey({ isPasskeyUsed, onUsePasskey }: WithoutKeyProps) {
  if (isPasskeyUsed)
    return (
      <p class="note">This passkey cannot encrypt. Sign in with a password or another passkey to use an identity.</p>
    )
  return (
    <>
      <p class="note">Use your new passkey once. After that, it can protect an identity.</p>
      <Button look="plain" onPress={onUsePasskey}>
        Use the passkey
      </Button>
    </>
  )
}
