import type { Client } from '@svc/client'
import type { Own } from '../own/own.ts'
import { RootAct } from '../own/root-act.tsx'
import { Button } from '../shell/button.tsx'
import { momentOf } from '../shell/dates.ts'
import { Link } from '../shell/link.tsx'
import { Part } from '../shell/part.tsx'
import { words } from '../words/home/words.ts'
import { Countdown } from './countdown.tsx'
import { onlyWordsStop, type Rotation } from './only-words-stop.ts'

interface SafetyProps extends Own {
  readonly change: number
  readonly onChange: () => void
}

/** What is about to happen to the root key, and whether writing is frozen: with the buttons that stop it. */
export function Safety({ core, client, rootLock, change, onChange }: SafetyProps) {
  const read = async () => {
    const [{ latest }, hold] = await Promise.all([client.rotation.current(), client.security.hold()])
    return { latest, hold }
  }
  const freeze = async ({ rotationId }: Rotation) => {
    await client.rotation.freeze(rotationId)
    onChange()
  }
  const placeHold = async () => {
    await client.security.placeHold()
    onChange()
  }
  const lift = async (root: Client) => {
    await root.security.liftHold()
    onChange()
  }
  return (
    <Part title={words.safety} of={String(change)} read={read}>
      {({ latest, hold }) => (
        <>
          {latest?.status === 'pending' ? <Pending rotation={latest} onFreeze={() => freeze(latest)} /> : null}
          {latest?.status === 'frozen' ? <p class="note">{words.frozen}</p> : null}
          {latest && latest.status !== 'pending' && latest.status !== 'frozen' ? (
            <p>{words.status(words.statuses[latest.status] ?? latest.status)}</p>
          ) : null}
          {hold.held ? (
            <>
              <p class="note">{words.held(momentOf(hold.placedAt ?? Date.now()))}</p>
              <RootAct core={core} rootLock={rootLock} action={words.lift} onAct={lift} />
            </>
          ) : (
            <>
              {latest?.status === 'pending' || latest?.status === 'frozen' ? null : <p>{words.quiet}</p>}
              <p class="soft">{words.holdLead}</p>
              <Button look="plain" onPress={placeHold}>
                {words.hold}
              </Button>
            </>
          )}
        </>
      )}
    </Part>
  )
}

interface PendingProps {
  readonly rotation: Rotation
  readonly onFreeze: () => Promise<void>
}

function Pending({ rotation, onFreeze }: PendingProps) {
  const why = onlyWordsStop(rotation)
  return (
    <div class="alarm" role="alert">
      <strong>{rotation.kind === 'rotation' ? words.pendingRotation : words.pendingDeactivation}</strong>
      <p>{why ?? words.pendingText}</p>
      {rotation.deadline === null ? null : <Countdown until={rotation.deadline} />}
      {why === null ? (
        <Button look="danger" onPress={onFreeze}>
          {words.freeze}
        </Button>
      ) : (
        <Link to="/recovery">{words.recover}</Link>
      )}
    </div>
  )
}
