import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { sentenceOf } from '../failures/sentences.ts'
import { words } from '../words/shell/words.ts'

interface PartProps<T> {
  readonly title: string
  /** Read again when it changes. */
  readonly of: string
  readonly read: () => Promise<T>
  readonly children: (value: T) => ComponentChildren
}

/** A part of a page that is read by itself, so that the others are shown if it fails. */
export function Part<T>({ title, of, read, children }: PartProps<T>) {
  const [state, setState] = useState<{ readonly of: string; readonly value?: T; readonly fault?: string } | null>(null)
  useEffect(() => {
    let isWanted = true
    read().then(
      (value) => isWanted && setState({ of, value }),
      (error: unknown) => isWanted && setState({ of, fault: sentenceOf(error) }),
    )
    return () => {
      isWanted = false
    }
  }, [of])
  const current = state?.of === of ? state : null
  return (
    <section class="panel">
      <h2>{title}</h2>
      {current === null ? <p role="status">{words.loading}</p> : null}
      {current?.fault === undefined ? null : (
        <p role="alert" class="bad">
          {current.fault}
        </p>
      )}
      {current && 'value' in current ? children(current.value) : null}
    </section>
  )
}
