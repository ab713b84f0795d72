import { useEffect, useState } from 'preact/hooks'
import { chunk } from '../failures/chunk.ts'
import { type FoundDevice, findDevice, unlockDevice } from '../keys/device-keys.ts'
import { Link } from '../shell/link.tsx'
import { Loaded } from '../shell/loaded.tsx'
import { words } from '../words/explorer/words.ts'

/** What only somebody with an encrypted key needs. */
const loadLocked = () => chunk(() => import('../shell/locked.tsx').then(({ Locked }) => Locked))

/** What is in the way of signing with the key of this browser, with the way around it. */
export function OwnKey() {
  const [found, setFound] = useState<FoundDevice | null>(null)
  useEffect(() => {
    // Sending tells what is wrong, if this cannot.
    findDevice().then(setFound, () => {})
  }, [])
  if (found?.state === 'none')
    return (
      <p class="note">
        {words.noIdentity} <Link to="/">{words.startPage}</Link>
      </p>
    )
  if (found?.state !== 'locked') return null
  return (
    <div class="note">
      <p>{words.locked}</p>
      <Loaded
        load={loadLocked}
        props={{
          by: found.by,
          action: words.unlock,
          onLock: async (lock) => setFound({ state: 'open', device: await unlockDevice(lock) }),
        }}
      />
    </div>
  )
}
