import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { firstOf } from '../content/first-of.ts'
import { Button } from '../shell/button.tsx'
import { words } from '../words/operator/words.ts'
import { signedByOperator } from './refused.ts'

const SHOWN = 100

interface ListedProps<T> {
  readonly lead: string
  readonly none: string
  readonly label: string
  readonly read: () => AsyncIterable<T>
  readonly children: (item: T, readAgain: () => Promise<void>) => ComponentChildren
}

/** A list that only the operator reads. Each reading is recorded, so none happens by itself. */
export function Listed<T>({ lead, none, label, read, children }: ListedProps<T>) {
  const [items, setItems] = useState<readonly T[] | null>(null)
  const readNow = async () => setItems(await signedByOperator(firstOf(read(), SHOWN)))
  const action = items === null ? words.read : words.readAgain
  return (
    <>
      <p>{lead}</p>
      {items?.length === 0 ? <p>{none}</p> : null}
      <ul class="list">{items?.map((item) => children(item, readNow))}</ul>
      {items?.length === SHOWN ? <p>{words.first(SHOWN)}</p> : null}
      <Button look="plain" label={`${action}: ${label}`} onPress={readNow}>
        {action}
      </Button>
    </>
  )
}
