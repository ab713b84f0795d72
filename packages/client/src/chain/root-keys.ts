import type { RootKey } from '#protocol/chain/succession'

/** `proved`: the log of the key directory has the rotation. `claimed`: only core says that it took effect. */
export type Activated = 'proved' | 'claimed'

export interface KnownRootKey extends RootKey {
  /** Whether the rotation to this key took effect. Always `proved` for the first key, since the DID derives from it. */
  readonly activated: Activated
  /** When it became the root key and the key before it ended, epoch ms. Claimed by core. */
  readonly activatedAt: number
}

/** The root keys of an identity by epoch, the current one last. */
export type RootKeys = readonly [KnownRootKey, ...KnownRootKey[]]

/** Returns when the key of an epoch ended, as claimed by core, epoch ms; null for the current key. */
export function endOfRoot(keys: RootKeys, epoch: number): number | null {
  return keys[epoch + 1]?.activatedAt ?? null
}
