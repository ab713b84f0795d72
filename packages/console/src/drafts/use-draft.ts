import { useEffect, useState } from 'preact/hooks'
import { draftsOf } from './drafts.ts'
import type { DraftDevice } from './sealing.ts'

interface DraftText {
  readonly text: string
  readonly setText: (text: string) => void
  /** Keeps it no longer, though it stands there still: it has been saved or sent. */
  readonly settle: () => void
}

/** A text that is kept while it is typed, until it is empty. */
export function useDraft(device: DraftDevice, place: string): DraftText {
  const [text, setText] = useState('')
  useEffect(() => {
    let isWanted = true
    void draftsOf(device)
      .read(place)
      .then((draft) => {
        if (isWanted && typeof draft === 'string') setText((now) => (now === '' ? draft : now))
      })
    return () => {
      isWanted = false
    }
  }, [place])
  return {
    text,
    setText: (typed) => {
      setText(typed)
      void draftsOf(device).keep(place, typed === '' ? null : typed)
    },
    settle: () => void draftsOf(device).keep(place, null),
  }
}
