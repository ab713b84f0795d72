import type { Client } from '@svc/client'
import type { Own } from '../own/own.ts'
import { RootAct } from '../own/root-act.tsx'
import { useTask } from '../shell/task.tsx'
import { words } from '../words/notes/words.ts'
import { type Shelf, withNote } from './shelf.ts'

interface ClosedProps {
  readonly own: Own
  readonly shelf: Shelf
  readonly onShelf: (shelf: Shelf) => void
}

/**
 * Notes that the key of this browser cannot open. Where the root key is here too, it can, or one before it: they are
 * then saved once more, for all devices.
 */
export function Closed({ own: { core, rootLock }, shelf, onShelf }: ClosedProps) {
  const task = useTask()
  const { closed } = shelf
  if (closed.length === 0) return null
  const open = async (root: Client) => {
    let now = shelf
    try {
      for (const [at, noteId] of closed.entries()) {
        task.say(words.sharing(at + 1, closed.length))
        const answer = await root.notes.safeGet(noteId)
        if (answer.ok) now = withNote(now, noteId, await root.notes.put(answer.value, answer.value))
      }
    } finally {
      onShelf(now)
    }
    task.say(now.closed.length === 0 ? words.shared : words.stillClosed(now.closed.length))
  }
  return (
    <section class="note after">
      <p>{words.closed(closed.length)}</p>
      {rootLock === null ? (
        <p>{words.openElsewhere(closed.length)}</p>
      ) : (
        <RootAct core={core} rootLock={rootLock} action={words.openByRoot} onAct={open} />
      )}
    </section>
  )
}
