import type { Preferences } from '@svc/protocol/consent/consent'

/**
 * What a creator has of one identifier, as of a revision of the record: all of it, so that an older one that arrives late
 * changes nothing.
 */
export interface Holding {
  readonly identifierHash: string
  /** The identifier, while this creator declares or claims something for it. */
  readonly hash: string | null
  readonly revision: number
  /** Null unless it is published by this creator. */
  readonly published: {
    readonly preferences: Preferences
    readonly version: number
    readonly updatedAt: number
  } | null
  /** Whether this creator has a claim to it. */
  readonly isClaimed: boolean
  /** Acts that this creator has signed for it, those before a settlement included. */
  readonly acts: number
  /** The writes that it stands for, whose room needs no reservation any more. */
  readonly written: readonly string[]
}

/** A holding, and whose it is. */
export interface Told {
  readonly did: string
  readonly holding: Holding
}
