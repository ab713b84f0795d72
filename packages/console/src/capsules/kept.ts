import { databaseOf } from '../kept/database.ts'
import type { Registration } from './register.ts'

/** What was registered with this browser. */
export interface Kept extends Pick<Registration, 'kind' | 'id'> {
  readonly name: string
  readonly at: number
}

/** By identity. The names of files stay in this browser. */
const storeOf = (did: string) => databaseOf(`console-registered-${did}`)

export async function keep(did: string, kept: Kept): Promise<void> {
  await storeOf(did).set(kept.id, kept)
}

/** Newest first. */
export async function keptOf(did: string): Promise<readonly Kept[]> {
  const store = storeOf(did)
  const ids = await store.keys()
  return (await Promise.all(ids.map(async (id) => (await store.get(id)) as Kept))).toReversed()
}

export async function forget(did: string, id: string): Promise<void> {
  await storeOf(did).delete(id)
}
