import type { Client } from '@svc/client'
import { unsharedNotes } from '@svc/client/functions'
import { useEffect, useState } from 'preact/hooks'
import { Button } from '../shell/button.tsx'
import { useTask } from '../shell/task.tsx'
import { words } from '../words/notes/words.ts'
import { type Shelf, withNote } from './shelf.ts'

interface SharingProps {
  readonly client: Client
  readonly shelf: Shelf
  readonly onShelf: (shelf: Shelf) => void
}

/** A note is encrypted for the devices that there are when it is written. Those that came later get a new version. */
export function Sharing({ client, shelf, onShelf }: SharingProps) {
  const task = useTask()
  const [readers, setReaders] = useState<readonly string[]>([])
  useEffect(() => {
    let isWanted = true
    // Without an answer there is nothing to offer, and every note still opens.
    client.notes.readers().then(
      (ids) => isWanted && setReaders(ids),
      () => {},
    )
    return () => {
      isWanted = false
    }
  }, [shelf])
  const notes = unsharedNotes(shelf.notes, readers)
  if (notes.length === 0) return null
  const share = async () => {
    let now = shelf
    try {
      for (const [at, note] of notes.entries()) {
        task.say(words.sharing(at + 1, notes.length))
        now = withNote(now, note.noteId, await client.notes.put(note, note))
      }
    } finally {
      onShelf(now)
    }
    task.say(words.shared)
  }
  return (
    <section class="note share">
      <p>{words.unshared(notes.length)}</p>
      <Button look="plain" onPress={share}>
        {words.share}
      </Button>
    </section>
  )
}
