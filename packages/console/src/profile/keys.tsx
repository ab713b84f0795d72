import { Exact } from '../content/exact.tsx'
import { momentOf } from '../shell/dates.ts'
import { Emblem } from '../shell/emblem.tsx'
import { Part } from '../shell/part.tsx'
import { words } from '../words/profile/words.ts'
import type { Shown } from './state.tsx'

/** The root keys, each proved by the one before. */
export function Keys({ did, reader }: Shown) {
  const read = () => reader.ask({ of: 'keys', did })
  return (
    <Part title={words.keys} of={did} read={read}>
      {(keys) => (
        <>
          <p>{words.keysLead(keys.length)}</p>
          <ol class="keys">
            {keys.map(({ epoch, userId }, at) => (
              <li key={epoch}>
                <Emblem of={userId} />
                <div>
                  <strong>{words.epoch(epoch)}</strong>
                  <span class="tag">{at === keys.length - 1 ? words.current : words.superseded}</span>
                  <Exact>{userId}</Exact>
                </div>
              </li>
            ))}
          </ol>
        </>
      )}
    </Part>
  )
}

/** The newest request to replace the root key, with verified signatures. */
export function RotationRequest({ did, reader }: Shown) {
  const read = () => reader.ask({ of: 'rotation', did })
  return (
    <Part title={words.rotation} of={did} read={read}>
      {(rotation) => (
        <p>
          {rotation === null
            ? words.noRotation
            : `${words.rotationOf(rotation.epoch, momentOf(rotation.requestedAt))} ${words.rotationStatus[rotation.status]}`}
        </p>
      )}
    </Part>
  )
}
