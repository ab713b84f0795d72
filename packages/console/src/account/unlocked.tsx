import { useEffect, useState } from 'preact/hooks'
import { Exact } from '../content/exact.tsx'
import { chunk } from '../failures/chunk.ts'
import { Button } from '../shell/button.tsx'
import { useTask } from '../shell/task.tsx'
import { words } from '../words/account/words.ts'
import { words as shellWords } from '../words/shell/words.ts'
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

const loadIdentity = () => chunk(() => import('./identity.ts'))

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
      <h2>{words.identity}</h2>
      <p>{words.identityLead}</p>
      {open ? (
        <>
          <dl>
            <dt>{words.did}</dt>
            <dd>
              <Exact isPlain>{open.did}</Exact>
            </dd>
            <dt>{words.stored}</dt>
            <dd>{open.isWithPasskey ? words.storedWithPasskey : words.storedHere}</dd>
          </dl>
          <GiveIdentity core={core} secret={open.secret} />
        </>
      ) : !isRead ? (
        <p class="note">{shellWords.moment}</p>
      ) : entered.exportKey === null ? (
        <WithoutKey isPasskeyUsed={entered.passkeyId !== null} onUsePasskey={onUsePasskey} />
      ) : (
        <>
          <p class="note">{isKeptHere(entered.accountId) ? words.openedOtherwise : words.noIdentity}</p>
          <div class="actions">
            <Button
              look="plain"
              onPress={async () => {
                const { createIdentity } = await loadIdentity()
                await keep(await createIdentity(core), false)
                task.say(words.identityCreated)
              }}
            >
              {words.createIdentity}
            </Button>
          </div>
          <GetIdentity
            core={core}
            onSecret={async (secret) => {
              await keep(secret, false)
              task.say(words.identityArrived)
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
  if (isPasskeyUsed) return <p class="note">{words.cannotEncrypt}</p>
  return (
    <>
      <p class="note">{words.usePasskeyLead}</p>
      <Button look="plain" onPress={onUsePasskey}>
        {words.usePasskey}
      </Button>
    </>
  )
}
