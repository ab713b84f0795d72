import { isMintedId, mintId } from '../minted-id.ts'
import type { CeremonyKind } from './rules.ts'

/** A confirmation goes on in the object of its grant, so the browser that began the registration has its id already. */
const purposeOf = (kind: CeremonyKind) => `svc/ceremony/v1 ${kind === 'confirmation' ? 'grant' : kind}`

/** Names a ceremony of one kind. A made-up id never reaches an object. */
export function mintCeremonyId(key: Uint8Array, kind: CeremonyKind): string {
  return mintId(key, purposeOf(kind))
}

export function isCeremonyId(key: Uint8Array, kind: CeremonyKind, id: string): boolean {
  return isMintedId(key, purposeOf(kind), id)
}
